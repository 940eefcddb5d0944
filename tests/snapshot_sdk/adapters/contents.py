"""Kinds of content, in the shape of each dialect."""

from __future__ import annotations

from typing import Any

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PDF = "JVBERi0xLjQKJcOkw7zDtsOfCg=="
ODD = '你好，世界 👩‍👩‍👧 𝒳 tab\t nul\x00 "quote" back\\slash \u2028 \x7f é café </script>'

FUNCTION = {
    "name": "find",
    "description": "查找",
    "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
}

CHAT: dict[str, dict[str, Any]] = {
    "text": {"messages": [{"role": "system", "content": "s"}, {"role": "user", "content": ODD}]},
    "tools": {
        "messages": [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [
                    {"id": "call_12345", "type": "function", "function": {"name": "find", "arguments": '{"q": "茶"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "call_12345", "content": '{"n": 1.0}'},
        ],
        "tools": [{"type": "function", "function": FUNCTION}],
    },
    "image": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "see"},
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
                ],
            }
        ]
    },
}

OPENAI: dict[str, dict[str, Any]] = {
    **CHAT,
    "document and audio": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{PDF}"}},
                    {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
                ],
            }
        ]
    },
}
"""What OpenAI alone takes."""

MESSAGES: dict[str, dict[str, Any]] = {
    "text": {"system": "s", "messages": [{"role": "user", "content": ODD}]},
    "cache_control": {
        "system": [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral", "ttl": "1h"}}],
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": ODD, "cache_control": {"type": "ephemeral"}}]}
        ],
    },
    "thinking": {
        "messages": [
            {"role": "user", "content": "q"},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "…", "signature": "c2ln"},
                    {"type": "redacted_thinking", "data": "ZGF0YQ=="},
                    {"type": "tool_use", "id": "toolu_1", "name": "find", "input": {"q": "茶", "n": 1.0, "e": 1e-7}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "42"}]},
        ],
        "tools": [{"name": "find", "input_schema": FUNCTION["parameters"]}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
    },
    "compaction": {
        "messages": [
            {"role": "assistant", "content": [{"type": "compaction", "content": "总结: what was said"}]},
            {"role": "user", "content": "go on"},
        ],
        "extra_body": {"context_management": {"edits": [{"type": "compact_20260112"}]}},
    },
    "image and document": {
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
                    {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF}},
                ],
            }
        ]
    },
}

RESPONSES: dict[str, dict[str, Any]] = {
    "text": {"input": ODD, "instructions": "s"},
    "items": {
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": ODD}]},
            {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j"},
            {"type": "function_call", "call_id": "c1", "name": "find", "arguments": '{"q":"茶"}'},
            {"type": "function_call_output", "call_id": "c1", "output": "42"},
            {"type": "compaction", "id": "cmp_1", "encrypted_content": "Y29tcGFjdGVk"},
            {"role": "user", "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}]},
            {"role": "user", "content": [{"type": "input_file", "filename": "a.pdf", "file_data": PDF}]},
        ],
        "tools": [{"type": "function", **FUNCTION}],
    },
}

OLLAMA: dict[str, dict[str, Any]] = {
    "text": CHAT["text"],
    "tools": {
        "messages": [
            {"role": "user", "content": "q"},
            {"role": "assistant", "tool_calls": [{"function": {"name": "find", "arguments": {"q": "茶"}}}]},
            {"role": "tool", "tool_name": "find", "content": '{"n": 1.0}'},
        ],
        "tools": [{"type": "function", "function": FUNCTION}],
    },
    "image and thinking": {
        "messages": [{"role": "user", "content": ODD, "images": [PNG]}],
        "think": True,
        "options": {"num_ctx": 4096},
    },
}

GEMINI: dict[str, dict[str, Any]] = {
    "text": {"contents": ODD},
    "parts": {
        "contents": [
            {"role": "user", "parts": [{"text": ODD}, {"inline_data": {"mime_type": "image/png", "data": PNG}}]},
            {"role": "model", "parts": [{"function_call": {"name": "find", "args": {"q": "茶"}}}]},
            {"role": "user", "parts": [{"function_response": {"name": "find", "response": {"n": 1}}}]},
        ],
        "config": {"system_instruction": "s", "tools": [{"function_declarations": [FUNCTION]}]},
    },
    "document and thinking": {
        "contents": [
            {"role": "user", "parts": [{"inline_data": {"mime_type": "application/pdf", "data": PDF}}]},
            {"role": "model", "parts": [{"text": "…", "thought": True}, {"text": "a", "thought_signature": "c2ln"}]},
            {"role": "user", "parts": [{"text": ODD}]},
        ],
        "config": {"thinking_config": {"include_thoughts": True}},
    },
}

PLAIN: dict[str, dict[str, Any]] = {"text": CHAT["text"]}
"""For clients that build the messages themselves."""

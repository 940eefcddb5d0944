"""Facts about the tree of a Claude Code transcript."""

from __future__ import annotations

from typing import Any

from inspector.importers.agents.claude_code_context import CLEARED, Context


def tool(name: str) -> list[dict[str, Any]]:
    """A call of a tool."""
    return [{"type": "tool_use", "id": name, "name": "Read", "input": {}}]


def result(name: str, text: str = "out") -> list[dict[str, Any]]:
    """The result of a call."""
    return [{"type": "tool_result", "tool_use_id": name, "content": text}]


def texts(context: Context) -> list[str]:
    """Give the texts of the user."""
    return [m["content"] for m in context.messages if m["role"] == "user" and isinstance(m["content"], str)]


def test_blocks_of_an_answer_are_one_message() -> None:
    """Records with one answer's id are blocks of one message, their results blocks of the next."""
    context = Context()
    context.add("u1", None, "user", "hi")
    context.add("a1", "u1", "assistant", tool("t1"), "m1")
    context.add("a2", "a1", "assistant", tool("t2"), "m1")
    context.add("r1", "a1", "user", result("t1"))
    context.add("r2", "a2", "user", result("t2"))

    assert [message["role"] for message in context.messages] == ["user", "assistant", "user"]
    assert [block["id"] for block in context.messages[1]["content"]] == ["t1", "t2"]
    assert [block["tool_use_id"] for block in context.messages[2]["content"]] == ["t1", "t2"]


def test_block_after_a_result_belongs_to_its_answer() -> None:
    """A tool that ran while the answer was still coming does not split the answer."""
    context = Context()
    context.add("u1", None, "user", "hi")
    context.add("a1", "u1", "assistant", tool("t1"), "m1")
    context.add("r1", "a1", "user", result("t1"))
    context.add("a2", "a1", "assistant", tool("t2"), "m1")
    context.add("r2", "a2", "user", result("t2"))

    assert [len(message["content"]) for message in context.messages[1:]] == [2, 2]


def test_note_between_results_stays() -> None:
    """A result that hangs on an earlier block does not push out what came between."""
    context = Context()
    context.add("u1", None, "user", "hi")
    context.add("a1", "u1", "assistant", tool("t1"), "m1")
    context.add("a2", "a1", "assistant", tool("t2"), "m1")
    context.add("r1", "a1", "user", result("t1"))
    context.add("n1", "r1", "user", "note")
    context.add("r2", "a2", "user", result("t2"))
    context.go_to("n1")

    assert [block.get("text") or block.get("tool_use_id") for block in context.messages[2]["content"]] == [
        "t1", "note", "t2",
    ]  # fmt: skip


def test_rewinding_leaves_a_branch() -> None:
    """A prompt that follows an earlier message is another branch; going back finds the first again."""
    context = Context()
    context.add("u1", None, "user", "one")
    context.add("a1", "u1", "assistant", [{"type": "text", "text": "A"}], "m1")
    context.add("u2", "a1", "user", "two")
    context.add("a2", "u2", "assistant", [{"type": "text", "text": "B"}], "m2")
    context.add("u3", "a1", "user", "three")
    assert texts(context) == ["one", "three"]

    context.add("u4", "a2", "user", "four")
    assert texts(context) == ["one", "two", "four"]


def test_cleared_results_stay_cleared() -> None:
    """A cleared result is a placeholder in this and in every later request; requests made before keep it."""
    context = Context()
    context.add("u1", None, "user", "hi")
    context.add("a1", "u1", "assistant", tool("t1"), "m1")
    context.add("r1", "a1", "user", result("t1", "long output"))
    before = list(context.messages)
    context.clear(["t1"])
    context.add("u2", "r1", "user", "go on")

    assert before[2]["content"][0]["content"] == "long output"
    assert [block.get("content") for block in context.messages[2]["content"]] == [CLEARED, None]


def test_parents_in_a_circle_end() -> None:
    """Records that name each other as parents do not loop."""
    context = Context()
    context.add("a", "b", "user", "one")
    context.add("b", "a", "user", "two")
    context.add("c", None, "user", "three")
    context.go_to("b")

    assert len(context.messages) == 1

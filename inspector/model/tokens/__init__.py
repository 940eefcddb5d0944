"""Tokens: counted offline by the model's tokenizer where it can be had, every figure with its origin."""

from inspector.model.tokens.calibrate import calibrate
from inspector.model.tokens.counting import count_message, counting_key
from inspector.model.tokens.overhead import ToolsCost, message_overhead, prompt_overhead, tools_cost
from inspector.model.tokens.tokenizer import Tokenizer, tokenizer_for

__all__ = [
    "Tokenizer",
    "ToolsCost",
    "calibrate",
    "count_message",
    "counting_key",
    "message_overhead",
    "prompt_overhead",
    "tokenizer_for",
    "tools_cost",
]

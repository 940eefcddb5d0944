"""What the user decides about their traces: ``inspector.toml``, beside them, readable and fit to commit."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, TypeVar

from inspector.errors import SettingsError
from inspector.model.layers import Layer
from inspector.model.prices import Price, Prices
from inspector.model.watches import TARGETS, Watch, make_watch

SETTINGS_FILE: Final = "inspector.toml"
"""Name of the file, in the directory of the traces."""

_TAG_NAME: Final = re.compile(r"[^\s<>/\"'=]+")
TOTAL_BUDGET: Final = "total"
"""Key in ``[budgets]`` for the prompt as a whole."""

FARTHEST: Final = 1_000_000
"""Place of a message beyond which a position is a slip of the pen: prompts have thousands."""
MOST_TOKENS: Final = 1_000_000_000_000
"""A window or budget beyond this is one, too: the largest windows are some ten million tokens."""

_POSITIONS: Final = {"first": 0, "last": -1}
_RULE_KEYS: Final = ("name", "layer", "tag", "regex", "role", "position")
_WATCH_KEYS: Final = (*TARGETS, "excerpt", "session", "lane", "since_call", "reason")
_T = TypeVar("_T")


@dataclass(frozen=True)
class LayerRule:
    """One rule of the user: what it says, and what it applies to. All given conditions must hold."""

    name: str
    """Shown as ``rule:<name>``."""
    layer: Layer
    """The layer it gives."""
    tag: str | None = None
    """Applies to ``<tag …>…</tag>``, tags included."""
    regex: re.Pattern[str] | None = None
    """Applies to each match (to its group 1, if the pattern has groups)."""
    role: str | None = None
    """Only in messages of this role."""
    position: int | None = None
    """Only in the message at this place among the messages of the prompt: from 0, or from -1 backwards."""

    @property
    def whole(self) -> bool:
        """True where the rule speaks of whole messages, not of places in their text."""
        return self.tag is None and self.regex is None


@dataclass(frozen=True)
class TokenizerFile:
    """A tokenizer the user names for their models."""

    file: Path
    """A Hugging Face ``tokenizer.json``, or a ``*.tiktoken`` (or Llama ``tokenizer.model``) list of ranks."""
    pattern: str | None = None
    """For rank lists: the regular expression that splits text; None: that of cl100k_base."""
    settings: Path | None = field(default=None, compare=False)
    """The settings file that names it; None: none does."""
    key: str | None = field(default=None, compare=False)
    """Where it is named there, such as ``tokenizers.qwen*``."""

    def refuse(self, reason: str) -> SettingsError:
        """Make the error that says why it cannot be used, and where it is named."""
        if self.settings is None:
            return SettingsError(self.file, None, reason)
        return SettingsError(self.settings, self.key, f"{self.file} {reason}")


@dataclass(frozen=True)
class Settings:
    """Everything ``inspector.toml`` may hold."""

    layers: tuple[LayerRule, ...] = ()
    """Rules in the order of the file; where two claim the same text, the first wins."""
    windows: Mapping[str, int] = field(default_factory=dict)
    """Model pattern → the model's hard limit, tokens."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Layer name, or ``total`` → tokens allowed."""
    tokenizers: Mapping[str, TokenizerFile] = field(default_factory=dict)
    """Model pattern → tokenizer file."""
    watches: tuple[Watch, ...] = ()
    """Texts the reader pinned afterwards; no part of an index, so they can change at any time."""
    prices: Prices = field(default_factory=Prices)
    """What asking a model costs; no part of an index either."""

    @classmethod
    def load(cls, file: Path) -> Settings:
        """Read a settings file; a file that is not there means no settings.

        Args:
            file: The ``inspector.toml``.

        Raises:
            SettingsError: It cannot be read, or holds what cannot be used; names file, key and reason.
        """
        try:
            text = file.read_bytes().decode("utf-8-sig")
        except FileNotFoundError:
            return cls()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(file, None, str(error)) from error
        try:
            data = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # not only TOMLDecodeError: numbers of 5,000 digits, deep nesting
            raise SettingsError(file, None, f"no valid TOML: {error}") from error
        return _Reader(file).settings(data)

    def window_of(self, model: str | None) -> int | None:
        """Return the window the settings give a model; None where no pattern fits."""
        return _lookup(self.windows, model)

    def price_of(self, model: str | None) -> Price | None:
        """Return the price the settings give a model; None where no pattern fits: then it is unknown, not 0."""
        return _lookup(self.prices.models, model)

    def tokenizer_of(self, model: str | None) -> TokenizerFile | None:
        """Return the tokenizer file the settings give a model; None where no pattern fits."""
        return _lookup(self.tokenizers, model)

    @property
    def fingerprint(self) -> str:
        """Tagged hash of what decides layers and counts: an index made under another one must be made anew."""
        rules = [
            (r.name, r.layer.value, r.tag, r.regex and (r.regex.pattern, r.regex.flags), r.role, r.position)
            for r in self.layers
        ]
        files = [(model, t.pattern, _digest(t)) for model, t in sorted(self.tokenizers.items())]
        return "sha256:" + hashlib.sha256(repr((rules, files)).encode("utf-8", "backslashreplace")).hexdigest()[:32]


def matches_model(pattern: str, model: str) -> bool:
    """Say whether a model fits a shell-style pattern, its own name or the part after the provider's prefix.

    ``gpt-4*`` fits ``gpt-4.1`` and ``openai/gpt-4.1``; case does not matter.
    """
    pattern, model = pattern.lower(), model.lower()
    return fnmatchcase(model, pattern) or fnmatchcase(model.rsplit("/", 1)[-1], pattern)


def read_watch(file: Path, table: Mapping[str, Any], key: str) -> Watch:
    """Read one entry of ``[[watches]]``.

    Args:
        file: Where it stands, for the error.
        table: The entry.
        key: Its dotted path, for the error.

    Raises:
        SettingsError: It cannot be used.
    """
    return _Reader(file).watch(dict(table), key)


def _lookup(table: Mapping[str, _T], model: str | None) -> _T | None:
    if model is None:
        return table.get("*")
    return next((value for pattern, value in table.items() if matches_model(pattern, model)), None)


def _digest(own: TokenizerFile) -> str:
    try:
        with own.file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise own.refuse(f"cannot be read: {error.strerror}") from error


class _Reader:
    """Turns parsed TOML into settings, or says what is wrong where."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def settings(self, data: Mapping[str, Any]) -> Settings:
        known = ("layers", "windows", "budgets", "tokenizers", "watches", "prices")
        self.only(data, known, "")
        watches = self.typed(data.get("watches", []), list, "watches", "an array of tables ([[watches]])")
        rules = self.typed(data.get("layers", []), list, "layers", "an array of tables ([[layers]])")
        return Settings(
            layers=tuple(self.rule(rule, f"layers[{number}]") for number, rule in enumerate(rules, start=1)),
            windows=self.table(data, "windows", self.tokens),
            budgets=self.table(data, "budgets", self.budget),
            tokenizers=self.table(data, "tokenizers", self.tokenizer),
            prices=self.prices(data),
            watches=tuple(self.watch(watch, f"watches[{number}]") for number, watch in enumerate(watches, start=1)),
        )

    def watch(self, data: Any, key: str) -> Watch:
        data = self.typed(data, dict, key, "a table")
        self.only(data, _WATCH_KEYS, f"{key}.")
        for name in data.keys() - {"since_call"}:
            self.typed(data[name], str, f"{key}.{name}", "a string")
        since = data.get("since_call")
        if since is not None and (isinstance(since, bool) or not isinstance(since, int) or not 1 <= since < 2**31):
            raise SettingsError(self.file, f"{key}.since_call", f"{since!r} is no number of a call")
        try:
            return make_watch(
                {name: str(data[name]) for name in TARGETS if name in data},
                excerpt=data.get("excerpt"),
                reason=data.get("reason"),
                since_call=since,
                lane=data.get("lane"),
                session=data.get("session"),
            )
        except ValueError as error:
            raise SettingsError(self.file, key, str(error)) from error

    def prices(self, data: Mapping[str, Any]) -> Prices:
        table = dict(self.typed(data.get("prices", {}), dict, "prices", "a table"))
        currency = self.typed(table.pop("currency", "$"), str, "prices.currency", "a string")
        return Prices({model: self.price(one, f"prices.{model}") for model, one in table.items()}, currency)

    def price(self, value: Any, key: str) -> Price:
        table = self.typed(value, dict, key, "a table with input and output, each for a million tokens")
        self.only(table, ("input", "output", "cached"), f"{key}.")
        for name, one in table.items():
            if isinstance(one, bool) or not isinstance(one, int | float) or not 0 <= one < 10**9:
                raise SettingsError(self.file, f"{key}.{name}", f"{one!r} is no price for a million tokens")
        for name in ("input", "output"):
            if name not in table:
                raise SettingsError(self.file, f"{key}.{name}", "is missing")
        return Price(float(table["input"]), float(table["output"]), table.get("cached"))

    def rule(self, data: Any, key: str) -> LayerRule:
        data = self.typed(data, dict, key, "a table")
        self.only(data, _RULE_KEYS, f"{key}.")
        for name in ("name", "layer", "tag", "regex", "role"):
            if name in data:
                self.typed(data[name], str, f"{key}.{name}", "a string")
        if "layer" not in data:
            raise SettingsError(self.file, f"{key}.layer", "is missing")
        if not data.keys() & {"tag", "regex", "role", "position"}:
            raise SettingsError(self.file, key, "needs one of tag, regex, role, position")
        if "tag" in data and "regex" in data:
            raise SettingsError(self.file, key, "has both tag and regex; write two rules")
        tag, regex = data.get("tag"), data.get("regex")
        if tag is not None and not _TAG_NAME.fullmatch(tag):
            raise SettingsError(self.file, f"{key}.tag", f"{tag!r} is no tag name (write memory, not <memory>)")
        if data.get("role") == "":
            raise SettingsError(self.file, f"{key}.role", "is empty; leave it out to mean every role")
        name = data.get("name") or tag or key
        return LayerRule(
            name,
            self.layer(data["layer"], f"{key}.layer"),
            tag,
            None if regex is None else self.pattern(regex, f"{key}.regex"),
            data.get("role"),
            self.position(data.get("position"), f"{key}.position"),
        )

    def layer(self, value: str, key: str) -> Layer:
        layers = {layer.value: layer for layer in Layer if layer is not Layer.OVERHEAD}
        if value not in layers:
            raise SettingsError(self.file, key, f"{value!r} is no layer; layers are {', '.join(layers)}")
        return layers[value]

    def pattern(self, value: str, key: str) -> re.Pattern[str]:
        if not value:
            raise SettingsError(self.file, key, "is empty: it would match nothing, everywhere")
        try:
            return re.compile(value)
        except (re.error, RecursionError, OverflowError) as error:
            raise SettingsError(self.file, key, f"no valid regular expression: {error}") from error

    def position(self, value: Any, key: str) -> int | None:
        if value is None:
            return None
        if isinstance(value, str) and value in _POSITIONS:
            return _POSITIONS[value]
        if not isinstance(value, int) or isinstance(value, bool):
            raise SettingsError(self.file, key, f"{value!r} is neither first, last nor a number")
        if abs(value) > FARTHEST:
            raise SettingsError(self.file, key, f"no prompt has a message there; at most {FARTHEST:,} either way")
        return value

    def tokens(self, value: Any, key: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
            raise SettingsError(self.file, key, f"{value!r} is no number of tokens")
        if value > MOST_TOKENS:
            raise SettingsError(self.file, key, f"no model has so many tokens; at most {MOST_TOKENS:,}")
        return value

    def budget(self, value: Any, key: str) -> int:
        name = key.removeprefix("budgets.")
        if name != TOTAL_BUDGET:
            self.layer(name, key)
        return self.tokens(value, key)

    def tokenizer(self, value: Any, key: str) -> TokenizerFile:
        table = {"file": value} if isinstance(value, str) else self.typed(value, dict, key, "a file name or a table")
        self.only(table, ("file", "pattern"), f"{key}.")
        name = self.typed(table.get("file"), str, f"{key}.file", "a file name")
        pattern = table.get("pattern")
        if pattern is not None:
            self.typed(pattern, str, f"{key}.pattern", "a string")
        file = self.file.parent / Path(name).expanduser()
        if not file.is_file():
            raise SettingsError(self.file, key, f"there is no file {file}")
        return TokenizerFile(file, pattern, self.file, key)

    def table(self, data: Mapping[str, Any], name: str, read: Callable[[Any, str], _T]) -> dict[str, _T]:
        table = self.typed(data.get(name, {}), dict, name, "a table")
        return {key: read(value, f"{name}.{key}") for key, value in table.items()}

    def typed(self, value: Any, kind: type, key: str, wanted: str) -> Any:
        if not isinstance(value, kind):
            raise SettingsError(self.file, key, f"must be {wanted}")
        return value

    def only(self, data: Mapping[str, Any], known: tuple[str, ...], prefix: str) -> None:
        for key in data:
            if key not in known:
                raise SettingsError(self.file, f"{prefix}{key}", f"is not known; known are {', '.join(known)}")

"""Cassettes of HTTP recorders, entry by entry: YAML or JSON, of VCR.py, Betamax, VCR for Ruby and go-vcr."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final, cast

import yaml
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.resolver import Resolver

from inspector.importers.reading.json_stream import JsonStream
from inspector.importers.reading.unreadable import UnreadableError

ENTRIES: Final = ("interactions", "http_interactions")
"""Member of a cassette that holds its entries; the second is Ruby's and Betamax's."""

_RUBY_BINARY: Final = "!binary"
"""How Ruby tags what the standard calls ``!!binary``."""

_TIMESTAMP: Final = "tag:yaml.org,2002:timestamp"

try:
    from yaml._yaml import CParser

    class _Events(CParser):
        """Events of libyaml, several times as fast."""

except ImportError:  # PyYAML without libyaml
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class _Events(Reader, Scanner, Parser):  # type: ignore[no-redef]
        """Events of the parser in Python."""

        def __init__(self, stream: IO[bytes]) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)


class _Loader(Composer, SafeConstructor, Resolver, _Events):
    """Builds nothing but plain values, one node at a time.

    Tags of objects, as older recorders leave them, are taken for what they are tagged on: nothing is ever called.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        _Events.__init__(self, stream)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)

    def check_node(self) -> bool:
        """Say whether a document comes; there is one, which is read by hand."""
        return False

    def node_value(self) -> Any:
        """Build the node whose events come next."""
        node = self.compose_node(None, cast(int, None))  # None: what stands outside the document's root
        return None if node is None else self.construct_document(node)


def _as_written(_: _Loader, node: yaml.Node) -> Any:
    """Take a time for the text it is: bodies are JSON, which has none."""
    return str(node.value)


def _as_plain(loader: _Loader, _: str, node: yaml.Node) -> Any:
    """Build what a tag nobody knows stands on."""
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return str(node.value)


_Loader.add_constructor(_TIMESTAMP, _as_written)  # type: ignore[type-var]  # the stubs name PyYAML's own loaders
_Loader.add_constructor(_RUBY_BINARY, _Loader.construct_yaml_binary)  # type: ignore[type-var]  # as before
_Loader.add_multi_constructor("", _as_plain)


def read_entries(path: Path, *, is_json: bool) -> Iterator[Any]:
    """Give the entries of a cassette, one at a time.

    Args:
        path: The cassette.
        is_json: It is JSON.

    Raises:
        UnreadableError: It is neither, or breaks off; the entries before were given.
        OSError: It cannot be read.
    """
    with path.open("rb") as file:
        if is_json:
            yield from _json_entries(JsonStream(file))
        else:
            try:
                yield from _yaml_entries(_Loader(file))
            except yaml.YAMLError as error:
                raise UnreadableError(_reason(error)) from error


def _json_entries(stream: JsonStream) -> Iterator[Any]:
    for name in stream.members():
        if name in ENTRIES and stream.kind() == "[":
            yield from (stream.value() for _ in stream.items())


def _yaml_entries(loader: _Loader) -> Iterator[Any]:
    """Go through the events of the cassette down to its entries, and build these."""
    loader.get_event()  # the stream
    if loader.check_event(yaml.StreamEndEvent):
        return
    loader.get_event()  # the document
    if not loader.check_event(yaml.MappingStartEvent):
        raise UnreadableError("no cassette: it is no mapping")
    loader.get_event()
    while not loader.check_event(yaml.MappingEndEvent):
        name = loader.node_value()
        if name not in ENTRIES or not loader.check_event(yaml.SequenceStartEvent):
            loader.node_value()
            continue
        loader.get_event()
        while not loader.check_event(yaml.SequenceEndEvent):
            yield loader.node_value()
        loader.get_event()


def _reason(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    what = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return f"not YAML: {what}" if mark is None else f"not YAML: {what}, line {mark.line + 1}"

"""The context of one line of thought in a Claude Code transcript: which messages its next request carries."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

CLEARED: Final = "[Old tool result content cleared]"
"""What Claude Code puts in the place of a tool result that microcompaction removes."""


@dataclass(frozen=True, eq=False)
class Node:
    """A record of the transcript that has a place in its tree."""

    uuid: str
    """Its id."""
    parent: str | None
    """Id of the node it follows; None: it begins a context."""
    role: str | None
    """``user`` or ``assistant``; None: a boundary, which carries no message."""
    content: Any
    """What it says: a text or blocks."""
    group: str
    """What is one message to the API: an answer's id, also for the results of its tools; else the node's own id."""


class Context:
    """Follows the tree of records and keeps the messages of the request that would be made now.

    An answer is spread over one record a block, and the results of parallel tools hang on different
    blocks, so neighbours that belong to one answer are no fork. Consecutive messages of the user are
    one message, as Claude Code sends them, but for what follows a compaction: what that left stays a
    message of its own, which the provider reads the same, and what its record names is then in the prompt.
    """

    def __init__(self) -> None:
        self._nodes: dict[str, Node] = {}
        self._path: list[Node] = []
        self._place: dict[str, int] = {}
        """Where in ``messages`` the answer with this id stands."""
        self._owners: dict[str, str] = {}
        """Which answer called the tool with this id."""
        self._cleared: set[str] = set()
        self._sealed: set[str] = set()
        """Nodes that nothing is joined to any more."""
        self.messages: list[dict[str, Any]] = []
        """In the shape of the API; never changed in place, a request may hold on to them."""

    @property
    def tip(self) -> str | None:
        """Id of the last node."""
        return self._path[-1].uuid if self._path else None

    def add(self, uuid: str, parent: str | None, role: str | None, content: Any, answer: str | None = None) -> None:
        """Add a record after its parent; what stood there instead is another branch from then on.

        Args:
            uuid: Its id.
            parent: The node it follows; None: it begins a context.
            role: ``user`` or ``assistant``; None: a boundary.
            content: What it says.
            answer: Id of the answer that a record of the assistant is a block of.
        """
        owner = self._owner(content)
        node = Node(uuid, parent, role, content, answer or owner or uuid)
        self._nodes[uuid] = node
        if parent is None:
            self._begin([])
        elif owner not in self._place:  # the result of a tool belongs to its answer wherever it hangs
            self.go_to(parent)
        if answer is not None:
            self._owners |= {block["id"]: answer for block in blocks(content) if isinstance(block.get("id"), str)}
        self._append(node)

    def go_to(self, uuid: str) -> None:
        """Make a node the end of the path, but for what belongs to the same answer."""
        parent = self._nodes.get(uuid)
        if parent is None:
            return
        place = len(self._path) - 1
        while place >= 0 and self._path[place] is not parent and self._is_beside(self._path[place], parent):
            place -= 1
        if place >= 0 and self._path[place] is parent:
            return
        on_path = self._path.index(parent) + 1 if parent in self._path else 0
        self._begin(self._path[:on_path] if on_path else self._branch(parent))

    def preserve(self, nodes: Sequence[Node]) -> None:
        """Put nodes of the context before a compaction behind its summary."""
        for node in nodes:
            self._append(node)

    def seal(self) -> None:
        """Keep what is said next apart from the message that is the last now: a compaction's record names it."""
        if self._path:
            self._sealed.add(self._path[-1].uuid)

    def clear(self, tool_ids: Collection[str]) -> None:
        """Take the content out of the results of these tool calls."""
        self._cleared |= set(tool_ids)
        self.messages = [self._without_cleared(message) for message in self.messages]

    def between(self, head: str, tail: str) -> list[Node]:
        """Give the nodes of the path from ``head`` to ``tail``: what a compaction says it preserves."""
        ids = [node.uuid for node in self._path]
        if head in ids and tail in ids:
            return self._path[ids.index(head) : ids.index(tail) + 1]
        return []

    def _owner(self, content: Any) -> str | None:
        """Find the answer whose tool a result is of."""
        used = (block.get("tool_use_id") for block in blocks(content) if block.get("type") == "tool_result")
        return next((self._owners[tool] for tool in used if tool in self._owners), None)

    def _is_beside(self, node: Node, other: Node) -> bool:
        """Say whether ``node`` may stand after ``other`` though it does not follow from it."""
        return node.group == other.group or (node.role == "user" and node.group != node.uuid)

    def _branch(self, node: Node) -> list[Node]:
        """Give the way from the root to a node."""
        path: list[Node] = []
        seen: set[str] = set()
        following: Node | None = node
        while following is not None and following.uuid not in seen:
            seen.add(following.uuid)
            path.append(following)
            following = self._nodes.get(following.parent) if following.parent is not None else None
        return path[::-1]

    def _begin(self, path: list[Node]) -> None:
        self._path, self._place, self.messages = [], {}, []
        for node in path:
            self._append(node)

    def _append(self, node: Node) -> None:
        last = self._path[-1] if self._path else None
        apart = last is not None and last.uuid in self._sealed and last.group != node.group
        self._path.append(node)
        if node.role is None:
            return
        message = self._without_cleared({"role": node.role, "content": node.content})
        if node.role == "assistant":
            place = self._place.get(node.group)
            if place is not None:
                self.messages[place] = joined(self.messages[place], message)
                return
            self._place[node.group] = len(self.messages)
        elif self.messages and self.messages[-1]["role"] == "user" and not apart:
            self.messages[-1] = joined(self.messages[-1], message)
            return
        self.messages.append(message)

    def _without_cleared(self, message: dict[str, Any]) -> dict[str, Any]:
        content = message["content"]
        if not self._cleared or not isinstance(content, list):
            return message
        changed = [
            {**block, "content": CLEARED}
            if isinstance(block, dict) and block.get("tool_use_id") in self._cleared
            else block
            for block in content
        ]
        return message if changed == content else {**message, "content": changed}


def blocks(content: Any) -> list[dict[str, Any]]:
    """Give the blocks of a content, of a text none."""
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def joined(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Make one message of two of the same role."""
    return {**first, "content": [*_as_blocks(first["content"]), *_as_blocks(second["content"])]}


def _as_blocks(content: Any) -> list[Any]:
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if isinstance(content, str) else []

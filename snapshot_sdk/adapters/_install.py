"""Records every client of ``httpx`` and ``httpx2`` of a process, for code that builds them out of reach."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from snapshot_sdk.adapters._endpoints import Endpoints, ModelCall
from snapshot_sdk.adapters._httpx import LIBRARIES, recording_send
from snapshot_sdk.adapters._imported import WhenImported

if TYPE_CHECKING:
    from snapshot_sdk._recorder import Recorder


class _Patch(NamedTuple):
    """A method that was replaced."""

    owner: Any
    original: Callable[..., Any]
    ours: Callable[..., Any]


class _Installation:
    """What one :func:`install` did."""

    def __init__(self, recorder: Recorder, endpoints: Endpoints) -> None:
        self._recorder = recorder
        self._endpoints: Endpoints | None = endpoints
        self._patches: list[_Patch] = []
        self._libraries = WhenImported(LIBRARIES, self.patch)

    def begin(self) -> None:
        """Patches the libraries that are there; others when the agent imports them."""
        self._libraries.begin()

    def find(self, method: str, url: str) -> ModelCall | None:
        """Recognises a request as :meth:`Endpoints.find` does; none after :meth:`remove`."""
        return self._endpoints.find(method, url) if self._endpoints is not None else None

    def patch(self, library: ModuleType) -> None:
        """Overrides ``send`` of both client classes of a library."""
        if self._endpoints is None:
            return
        for owner, awaited in ((library.Client, False), (library.AsyncClient, True)):
            original = vars(owner)["send"]
            ours = recording_send(original, self._recorder, self, awaited=awaited, at=1)
            owner.send = ours
            self._patches.append(_Patch(owner, original, ours))

    def remove(self) -> None:
        """Takes the patches out; where somebody patched on top, ours stays and lets everything pass."""
        self._endpoints = None
        self._libraries.end()
        for owner, original, ours in self._patches:
            if vars(owner).get("send") is ours:
                owner.send = original
        self._patches.clear()


_lock: Final = threading.Lock()
_installed: Final[list[_Installation]] = []


def install(recorder: Recorder, *, endpoints: Iterable[str] = ()) -> None:
    """Records the model calls of all clients of ``httpx`` and ``httpx2``, also of those built later.

    Only requests to known model providers are recorded, and to what ``endpoints`` names. Neither library is
    imported here: one that is not there yet is patched when the agent imports it. Calling it again replaces
    what was installed.

    Args:
        recorder: Where to.
        endpoints: URLs of further servers: the model calls below them, and whatever is posted to one of them.

    Raises:
        TypeError: ``recorder`` is no recorder, or an endpoint no string.
        ValueError: An endpoint is no URL.
    """
    install_for(recorder, Endpoints(endpoints, any_host=False))


def install_for(recorder: Recorder, wanted: Endpoints) -> None:
    """Does the work of :func:`install`.

    Args:
        recorder: Where to.
        wanted: What is recorded.

    Raises:
        TypeError: ``recorder`` is no recorder.
    """
    from snapshot_sdk._recorder import Recorder

    if not isinstance(recorder, Recorder):
        raise TypeError(f"install() takes a Recorder, not {type(recorder).__name__}")
    uninstall()
    with _lock:
        installation = _Installation(recorder, wanted)
        installation.begin()
        _installed.append(installation)


def uninstall() -> None:
    """Takes out what :func:`install` put in; the classes are as they were.

    Where somebody else has patched them since, theirs stays and ours lets everything pass.
    """
    with _lock:
        while _installed:
            _installed.pop().remove()

"""Components of the app: plain JavaScript and CSS in files beside this one.

Each component is ``<name>.js`` with a default export and, if it needs one, ``<name>.css``; parts of
a long one stand in ``<name>_<part>.js`` and come before it. The
shared functions of ``common*.js`` (address, keys, palette, numbers) stand before each script, the
rules of ``common.css`` before each style sheet. Everything is sent inline: nothing is fetched.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from inspector.figures import theme

if TYPE_CHECKING:
    from streamlit.components.v2.bidi_component.state import ComponentResult
    from streamlit.components.v2.types import ComponentRenderer

_FOLDER: Final = Path(__file__).parent
_PREFIX: Final = "context_inspector."
"""Component names are shared by all of an app; ours cannot meet another's."""


_SHARES: Final = {"compare": ("call_text.js",), "trace": ("call_text.js",), "probes": ("call_text.js",)}
"""Parts of other components that a component uses too."""


def script(name: str) -> str:
    """Return the whole JavaScript of a component, the palette and the shared functions first."""
    parts = sorted(part.name for part in _FOLDER.glob(f"{name}_*.js"))
    files = ["common.js", "common_format.js", *_SHARES.get(name, ()), *parts, f"{name}.js"]
    return "\n".join([f"const PALETTE = {theme.theme_json()};", *(_read(file) for file in files)])


def style(name: str) -> str:
    """Return the whole style sheet of a component, the shared rules first."""
    own = _FOLDER / f"{name}.css"
    return _read("common.css") + ("\n" + own.read_text("utf-8") if own.exists() else "")


def mount(name: str, data: Any, key: str, *, wants: bool = False) -> ComponentResult:
    """Show a component in the running page.

    Args:
        name: Of the files beside this module, without suffix.
        data: JSON values the script gets; strings in it stay data, the scripts make text nodes of them.
        key: Keeps the component alive while its data changes; one per place.
        wants: Whether the script asks for more with ``setTriggerValue("want", …)``; then the result has ``want``.

    Returns:
        What the script sent.
    """
    if wants:
        return _renderer(name)(data=data, key=key, on_want_change=_rerun_only)
    return _renderer(name)(data=data, key=key)


def _rerun_only() -> None:
    """Let a trigger rerun the script; it reads the value from what :func:`mount` returns."""


@functools.cache
def _renderer(name: str) -> ComponentRenderer:
    return st.components.v2.component(_PREFIX + name, html='<div class="root"></div>', css=style(name), js=script(name))


def _read(file: str) -> str:
    return (_FOLDER / file).read_text("utf-8")

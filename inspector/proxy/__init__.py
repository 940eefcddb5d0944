"""A local reverse proxy that records the model calls passing through it.

Agents in any language that let their base URL be set are recorded by it as if the SDK were inside them: the same
trace files, written by the same code, before a request is sent on.
"""

from __future__ import annotations

from inspector.proxy.journal import Journal, Passed
from inspector.proxy.server import HOST, ProxyServer
from inspector.proxy.upstreams import Upstream, Upstreams, parse_upstream

__all__ = ["HOST", "Journal", "Passed", "ProxyServer", "Upstream", "Upstreams", "parse_upstream"]

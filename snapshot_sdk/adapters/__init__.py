"""Records the calls of real clients: the bytes that leave, where they leave.

``Recorder.attach(client)`` overrides the public ``send`` of the HTTP client inside; ``install()`` overrides it
for all clients of a process. Nothing is imported here that the agent has not imported itself.
"""

from __future__ import annotations

from snapshot_sdk.adapters._install import install, uninstall

__all__ = ["install", "uninstall"]

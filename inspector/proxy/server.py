"""Runs the proxy on the loopback interface until it is told to stop."""

from __future__ import annotations

import asyncio
import socket
from typing import Final
from urllib.parse import urlsplit

import uvicorn

from inspector.errors import CannotListenError, UpstreamError
from inspector.proxy.headers import LOOPBACK
from inspector.proxy.journal import Journal
from inspector.proxy.relay import Relay, new_client
from inspector.proxy.upstreams import Upstreams

HOST: Final = "127.0.0.1"
"""The only address it listens on: whoever reaches it can use the agent's servers through it."""

STOP_SECONDS: Final = 3
"""How long calls that are on their way may take to end when the proxy is told to stop."""

KEEP_ALIVE_SECONDS: Final = 75
"""How long an idle connection stays open: longer than clients keep theirs, so that none meets a closed one."""

MAX_HEADERS: Final = 256 * 1024
"""Bytes of a request's headers: some agents send what they are about in one."""

BACKLOG: Final = 512


class ProxyServer:
    """A listening socket, and the server behind it."""

    def __init__(self, upstreams: Upstreams, journal: Journal, port: int = 0) -> None:
        """Begin to listen; requests are answered from :meth:`run` on.

        Args:
            upstreams: Where requests go.
            journal: Where they are recorded; closed when the server has stopped.
            port: On 127.0.0.1; 0: a free one.

        Raises:
            CannotListenError: The port is taken, or may not be used.
            UpstreamError: An upstream is this very server.
        """
        self._upstreams = upstreams
        self._journal = journal
        # The protocol is named, or asyncio does not set TCP_NODELAY on what is accepted: each answer, sent in several
        # pieces, would wait 40 ms for the agent's delayed acknowledgement.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((HOST, port))
            self._socket.listen(BACKLOG)
        except OSError as error:
            self._socket.close()
            raise CannotListenError(HOST, port, error.strerror or str(error)) from error
        self.port: int = self._socket.getsockname()[1]
        """On which it listens."""
        self.url: Final = f"http://{HOST}:{self.port}"
        """What an agent's base URL begins with."""
        for one in upstreams.all:
            parts = urlsplit(one.url)
            if parts.hostname in LOOPBACK and parts.port == self.port:
                self._socket.close()
                raise UpstreamError(one.url, "it is the address of this proxy itself")
        self._server: uvicorn.Server | None = None
        self._stopped = False

    def run(self) -> None:
        """Answer requests until :meth:`stop`, Ctrl-C or SIGTERM; then write what is left.

        Raises:
            KeyboardInterrupt: It was Ctrl-C.
        """
        try:
            asyncio.run(self._serve())
        finally:
            self._socket.close()
            self._journal.close()

    def stop(self) -> None:
        """Let :meth:`run` return; may be called from any thread."""
        self._stopped = True
        if self._server is not None:
            self._server.should_exit = True

    async def _serve(self) -> None:
        async with new_client() as client:
            config = uvicorn.Config(
                Relay(self._upstreams, self._journal, client),
                http="h11",
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                log_level="critical",  # what goes wrong with a call is in its record and in its line
                access_log=False,
                server_header=False,  # the answer's own pass
                date_header=False,
                proxy_headers=False,
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=STOP_SECONDS,
                h11_max_incomplete_event_size=MAX_HEADERS,
            )
            self._server = uvicorn.Server(config)
            if not self._stopped:
                await self._server.serve(sockets=[self._socket])

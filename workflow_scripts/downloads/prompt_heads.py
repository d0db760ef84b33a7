"""Answers whose head is complete in time, however slowly its bytes drip."""

import socket
import threading
from contextlib import suppress
from functools import cache
from typing import Any

from requests.adapters import HTTPAdapter


class PromptHeads(HTTPAdapter):
    """Bounds the whole head of an answer by the timeout for reading, which else is of each read."""

    def get_connection_with_tls_context(self, *request: Any, **options: Any) -> Any:
        pool = super().get_connection_with_tls_context(*request, **options)
        pool.ConnectionCls = _prompt(pool.ConnectionCls)
        return pool


class _Prompt:
    """Of a connection: it is shut down where the head takes too long."""

    sock: socket.socket
    timeout: float

    def getresponse(self) -> Any:
        late, sock = threading.Event(), self.sock

        def end() -> None:
            late.set()
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

        timer = threading.Timer(self.timeout, end)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()  # type: ignore[misc]
        finally:
            timer.cancel()
            if late.is_set():
                # what came by then looks like a whole head
                raise TimeoutError


@cache
def _prompt(kind: type) -> type:
    """Return a class of connections as one that bounds heads."""
    return kind if issubclass(kind, _Prompt) else type(kind.__name__, (_Prompt, kind), {})

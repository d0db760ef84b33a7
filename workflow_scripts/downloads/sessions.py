"""HTTP as downloads use it: heads are whole in time, and no redirection leads away from https."""

import socket
import threading
from contextlib import suppress
from functools import cache
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from workflow_scripts.downloads.mirrors import shown
from workflow_scripts.errors import UserError

# The length is then that of the file. Some servers turn away the default name of an HTTP library.
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "mirror-bert"}
_MOST_REDIRECTS = 10


class Session(requests.Session):
    """Follows redirections without their bodies; `UserError` where one leaves https."""

    def __init__(self, retries: Retry | int = 0) -> None:
        super().__init__()
        self.headers.update(_HEADERS)
        self.max_redirects = _MOST_REDIRECTS
        for scheme in ("http://", "https://"):
            self.mount(scheme, _PromptHeads(max_retries=retries))

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        target = super().get_redirect_target(resp)
        if target is not None:
            # or requests would read all of its body, however much comes
            resp.close()
            whole = urljoin(resp.url, target)
            if urlsplit(resp.url).scheme == "https" != urlsplit(whole).scheme:
                raise UserError(
                    shown(resp.url),
                    f"leads from https to {shown(whole)}, where the bytes could be changed on the "
                    "way",
                    "use a mirror (--mirror) or fix the address",
                )
        return target


class _PromptHeads(HTTPAdapter):
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

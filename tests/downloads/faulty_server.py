"""A web server on this machine that serves files with the faults that a test chooses."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import urlsplit


@dataclass
class Served:
    """A file of the server and its faults, each of which lasts for a number of requests."""

    body: bytes
    etag: str | None = '"one"'
    # (bytes to send before the connection ends, requests)
    cut: tuple[int, int] = (0, 0)
    # (status, requests)
    refusal: tuple[int, int] = (0, 0)
    headers: dict = field(default_factory=dict)
    ranges: bool = True
    # another body than Content-Length and ETag would tell
    swapped: bytes | None = None
    # what the server says of the length, instead of the truth: "none" to say nothing
    length: str | None = None
    # (bytes at a time, seconds after each)
    drip: tuple[int, float] | None = None
    # seconds after each byte of the head
    slow_head: float = 0.0
    # instead of "bytes first-last/total", with these three names
    span: str | None = None
    # to HEAD: another status, and nothing of the length
    head_status: int | None = None
    head_length: bool = True
    # called when half of the body is sent
    halfway: Callable[[], object] = lambda: None


class Server:
    """Files by path, and the requests that came: (path, headers)."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        self.files = {}
        self.requests = []

    def url(self, path):
        return f"{self.base}/{path}"

    def asked(self, path):
        return [headers for one, headers in self.requests if one == path]

    def ranges_asked(self, path):
        return [headers.get("Range") for headers in self.asked(path)]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server.state
        address = urlsplit(self.path)
        path = address.path.lstrip("/")
        asked = {"query": address.query, "method": self.command}
        server.requests.append((path, dict(self.headers) | asked))
        served = server.files.get(path)
        if served is None:
            self._answer(404, b"not here")
            return
        if self.command == "HEAD" and served.head_status:
            self._answer(served.head_status, b"")
            return
        status, times = served.refusal
        if times:
            served.refusal = (status, times - 1)
            self._answer(status, b"busy", served.headers, served)
            return
        body = served.swapped if served.swapped is not None else served.body
        code, headers, start, end = 200, dict(served.headers), 0, len(body)
        if served.etag:
            headers["ETag"] = served.etag
        wanted = self.headers.get("Range")
        same = self.headers.get("If-Range") in (None, served.etag)
        if wanted and served.ranges and same:
            first, last = wanted.removeprefix("bytes=").split("-")
            start, end = int(first), int(last or len(body) - 1) + 1
            if start >= len(body):
                self._answer(416, b"")
                return
            code = 206
            span = served.span or "bytes {first}-{last}/{total}"
            where = {"first": start, "last": len(body) - 1, "total": len(body)}
            headers["Content-Range"] = span.format(**where)
        self._answer(code, body[start:end], headers, served)

    do_HEAD = do_GET

    def _answer(self, status, body, headers=None, served=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        length = (served and served.length) or str(len(body))
        is_head = self.command == "HEAD"
        if length == "none" or (is_head and served and not served.head_length):
            self.send_header("Connection", "close")
            self.close_connection = True
        else:
            self.send_header("Content-Length", length)
        if served and served.slow_head:
            for byte in b"".join(self._headers_buffer):
                self.wfile.write(bytes([byte]))
                time.sleep(served.slow_head)
            self._headers_buffer.clear()
        self.end_headers()
        if is_head:
            return
        if served and served.cut[1]:
            size, times = served.cut
            served.cut = (size, times - 1)
            body = body[:size]
            self.close_connection = True
        if served and served.drip:
            size, seconds = served.drip
            for start in range(0, len(body), size):
                self.wfile.write(body[start : start + size])
                time.sleep(seconds)
            return
        half = len(body) // 2
        self.wfile.write(body[:half])
        if served:
            self.wfile.flush()
            served.halfway()
        self.wfile.write(body[half:])

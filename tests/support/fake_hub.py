"""A small hub of models on this machine: what huggingface_hub asks for, and faults on demand.

Models can be uploaded too, with the token of `FakeHub.environment`.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
# of a user who may write into repositories of `owner`
TOKEN = "hf_of_the_owner"


@dataclass
class Repository:
    """Files of a repository at its one commit, by path; weights are in large-file storage."""

    files: dict[str, bytes]
    commit: str = COMMIT
    gated: bool = False
    # what is sent instead of a file, under its size and hash
    swapped: dict[str, bytes] = field(default_factory=dict)
    private: bool = False
    # the first answer with a file ends after so many bytes; others are refused
    broken: dict[str, int] = field(default_factory=dict)


class FakeHub:
    """Repositories by id, and the requests that came: (method, path, headers)."""

    def __init__(self, port: int) -> None:
        self.endpoint = f"http://127.0.0.1:{port}"
        self.repositories: dict[str, Repository] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []

    def environment(self, home: str) -> dict[str, str]:
        """The variables that lead a client here, with its caches below `home`."""
        hub = {"HF_ENDPOINT": self.endpoint, "HF_HOME": home, "HF_HUB_OFFLINE": "0"}
        hub["HF_HUB_DISABLE_TELEMETRY"] = "1"
        return hub | dict.fromkeys(["NO_PROXY", "no_proxy"], "127.0.0.1")

    def asked(self, method: str, file: str) -> list[dict[str, str]]:
        """Headers of the requests for a file of any repository."""
        return [
            headers
            for one, path, headers in self.requests
            if one == method and "/resolve/" in path and path.endswith(f"/{file}")
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self._handle()

    def do_GET(self):
        self._handle()

    def do_POST(self):
        path = unquote(urlsplit(self.path).path)
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.hub.requests.append((self.command, path, dict(self.headers)))
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self._answer(401, b"")
        elif path == "/api/repos/create":
            self._create(json.loads(body))
        elif path == "/api/validate-yaml":
            self._answer_json({"errors": [], "warnings": []})
        elif match := re.fullmatch(r"/api/models/(.+)/(preupload|commit)/main", path):
            name, kind = match.groups()
            if kind == "preupload":
                # none is in large-file storage: all come with the commit
                files = [
                    {"path": file["path"], "uploadMode": "regular", "shouldIgnore": False}
                    for file in json.loads(body)["files"]
                ]
                self._answer_json({"files": files})
            else:
                self._commit(name, [json.loads(line) for line in body.splitlines()])
        else:
            self._answer(404, b"")

    def _create(self, wishes):
        hub, name = self.server.hub, f"{wishes['organization']}/{wishes['name']}"
        if wishes["organization"] != "owner":
            self._answer(403, b"")
            return
        there = name in hub.repositories
        private = wishes.get("visibility") == "private"
        hub.repositories.setdefault(name, Repository({}, private=private))
        self._answer_json({"url": f"{hub.endpoint}/{name}"}, 409 if there else 200)

    def _commit(self, name, lines):
        repository = self.server.hub.repositories[name]
        for line in lines:
            if line["key"] == "file":
                content = base64.b64decode(line["value"]["content"])
                repository.files[line["value"]["path"]] = content
        url = f"{self.server.hub.endpoint}/{name}/commit/{COMMIT}"
        self._answer_json({"success": True, "commitOid": COMMIT, "commitUrl": url})

    def _answer_json(self, content, status=200):
        self._answer(status, json.dumps(content).encode(), {"Content-Type": "application/json"})

    def _handle(self):
        hub = self.server.hub
        path = unquote(urlsplit(self.path).path)
        hub.requests.append((self.command, path, dict(self.headers)))
        if match := re.fullmatch(r"/api/models/(.+?)/(revision|tree)/([^/]+)", path):
            name, kind, revision = match.groups()
            if (repository := self._repository(name, revision)) is not None:
                describe = _listing if kind == "tree" else _information
                body = json.dumps(describe(name, repository)).encode()
                self._answer(200, body, {"Content-Type": "application/json"})
        elif match := re.fullmatch(r"/(.+?)/resolve/([^/]+)/(.+)", path):
            name, revision, file = match.groups()
            if (repository := self._repository(name, revision)) is not None:
                self._send_file(repository, file)
        else:
            self._answer(404, b"")

    def _repository(self, name, revision):
        repository = self.server.hub.repositories.get(name)
        if repository is None:
            # the hub does not tell apart what is private and what is not there
            self._answer(401, b"", {"X-Error-Code": "RepoNotFound"})
        elif repository.gated:
            self._answer(403, b"", {"X-Error-Code": "GatedRepo"})
        elif not repository.commit.startswith(revision):
            self._answer(404, b"", {"X-Error-Code": "RevisionNotFound"})
        else:
            return repository
        return None

    def _send_file(self, repository, file):
        if file not in repository.files:
            self._answer(404, b"", {"X-Error-Code": "EntryNotFound"})
            return
        body = repository.swapped.get(file, repository.files[file])
        true = repository.files[file]
        etag = _sha256(true) if _is_large(file) else _git_hash(true)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": repository.commit}
        status, cut = 200, None
        if self.command == "GET" and file in repository.broken:
            cut = repository.broken[file]
            if cut == 0:
                self._answer(500, b"broken")
                return
            repository.broken[file] = 0
        if wanted := self.headers.get("Range"):
            start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            status, body = 206, body[start:]
        self._answer(status, body, headers, cut)

    def _answer(self, status, body, headers=None, cut=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if cut is not None:
            self.close_connection = True
        if self.command != "HEAD":
            self.wfile.write(body[:cut])


def _is_large(file: str) -> bool:
    return file.endswith((".safetensors", ".bin"))


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _git_hash(body: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def _listing(name: str, repository: Repository) -> list[dict]:
    entries = []
    for file, body in repository.files.items():
        entry = {"type": "file", "path": file, "size": len(body), "oid": _git_hash(body)}
        if _is_large(file):
            entry["lfs"] = {"oid": _sha256(body), "size": len(body), "pointerSize": 134}
        entries.append(entry)
    return entries


def _information(name: str, repository: Repository) -> dict:
    siblings = [
        {"rfilename": file, "size": len(repository.files[file])} for file in repository.files
    ]
    return {"id": name, "sha": repository.commit, "siblings": siblings, "tags": []}


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[ThreadingHTTPServer]:
    """A web server on a free port of this machine."""
    web = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    web.daemon_threads = True
    thread = threading.Thread(target=web.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield web
    finally:
        web.shutdown()
        thread.join()
        web.server_close()


@contextmanager
def fake_hub() -> Iterator[FakeHub]:
    """A hub without repositories, listening."""
    with listening(_Handler) as web:
        web.hub = FakeHub(web.server_address[1])
        yield web.hub

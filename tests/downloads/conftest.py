"""A server, registries and a policy without waiting, for the tests of downloads."""

import pytest
import yaml
from faulty_server import Handler, Server
from small_registry import ENTRY

from tests.support.fake_hub import listening
from workflow_scripts.downloads.registry import read_registry
from workflow_scripts.downloads.transfer import Policy


@pytest.fixture
def server(monkeypatch):
    """The server, with no files; no proxy comes between."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with listening(Handler) as web:
        # a client that goes away in the middle is what some tests are about
        web.handle_error = lambda *_: None
        web.state = Server(web.server_address[1])
        yield web.state


@pytest.fixture
def pauses():
    """The pauses that the policy made, in seconds."""
    return []


@pytest.fixture
def policy(pauses):
    """Three attempts without new bytes, and no time lost."""
    return Policy(attempts=3, first_pause=1.0, longest_pause=8.0, pause=pauses.append)


@pytest.fixture
def registry_file(tmp_path):
    """Write a registry of entries (over the common keys) and return its path."""

    def write(**entries):
        path = tmp_path / "registry.yaml"
        content = {name: {**ENTRY, **entry} for name, entry in entries.items()}
        path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        return path

    return write


@pytest.fixture
def data_set(registry_file):
    """Return the one entry of a registry with these keys."""

    def make(**entry):
        return read_registry(registry_file(**{"a-set": entry}))["a-set"]

    return make

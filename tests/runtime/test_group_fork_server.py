"""A group of jobs of a cluster starts its fork server with its first job."""

from types import SimpleNamespace

import pytest

from workflow_scripts.runtime import group_fork_server
from workflow_scripts.runtime.group_fork_server import GroupForkServer


@pytest.mark.parametrize(("event", "is_group"), [("job_info", True), ("job_info", False)])
def test_it_is_started_in_a_group_alone(event, is_group, monkeypatch):
    started = []
    monkeypatch.setattr(group_fork_server, "start_fork_server", started.append)
    run = SimpleNamespace(is_group=is_group)
    server = GroupForkServer(run)
    server.hear("progress", None)
    assert started == []
    server.hear(event, None)
    assert started == [run] * is_group

import subprocess
import sys

import pytest

from workflow_scripts.cluster.run_lock import hold_run_lock
from workflow_scripts.errors import UserError

HOLDER = """
import sys, time
from workflow_scripts.cluster.run_lock import hold_run_lock
hold_run_lock(sys.argv[1])
print("held", flush=True)
time.sleep(60)
"""


def test_a_second_run_is_refused_and_a_killed_one_leaves_no_lock(tmp_path, project):
    lock = tmp_path / "run.lock"
    command = [sys.executable, "-c", HOLDER, str(lock)]
    holder = subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(UserError, match="another run"):
            hold_run_lock(lock)
    finally:
        holder.kill()
        holder.wait()
    hold_run_lock(lock)

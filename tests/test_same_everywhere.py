"""The tests' own environment, seeds and limits."""

import json
import os
import random
import subprocess
import sys
import time

import pytest
import same_everywhere
from hypothesis import settings
from same_everywhere import bounded, wait_for

SHOW = """
import json, os, sys
sys.path.insert(0, "tests/support")
from same_everywhere import clean_environment
clean_environment()
mask = os.umask(0)
print(json.dumps([dict(os.environ), oct(mask)]))
"""


def test_what_a_caller_exports_reaches_no_test(project):
    theirs = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "0", "LC_ALL": "tr_TR", "TZ": "Asia/Tokyo"}
    theirs |= {"COLUMNS": "20", "GIT_DIR": "/nowhere", "NO_COLOR": "1", "PYTHONHASHSEED": "7"}
    kept = {"PATH": os.environ["PATH"], "HOME": "/home", "TMPDIR": "/tmp", "CI": "false"}
    command = [sys.executable, "-c", SHOW]
    shown = subprocess.check_output(command, cwd=project, env=kept | theirs, umask=0o077)
    ours = {"COLUMNS": "80", "HF_HUB_OFFLINE": "1", "LANG": "C.UTF-8", "TZ": "UTC"}
    ours |= {"GOMP_SPINCOUNT": "2000"}
    assert json.loads(shown) == [kept | ours, "0o22"]


def test_each_run_draws_the_same(seeded):
    assert random.random() == random.Random(33).random()
    assert settings.default.derandomize and settings.default.deadline is None


def test_a_test_that_hangs_fails(monkeypatch):
    monkeypatch.setattr(same_everywhere, "_SECONDS", 1)
    with pytest.raises(TimeoutError, match="a test: not over after 1 s"), bounded("a test"):
        time.sleep(60)


def test_what_does_not_happen_is_not_waited_for():
    assert wait_for(lambda: 3) == 3
    with pytest.raises(AssertionError, match="did not happen"):
        wait_for(lambda: False, seconds=0.02)
    ended = subprocess.Popen(["true"])
    ended.wait()
    with pytest.raises(AssertionError, match="ended before"):
        wait_for(lambda: False, ended)

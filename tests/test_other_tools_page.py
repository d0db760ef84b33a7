"""docs/howto/other-tools.md runs unchanged, except for what needs the hub or an account."""

import os
import re
import shlex
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_the_page_of_other_tools_runs_as_it_stands(project, tmp_path):
    text = (project / "docs" / "howto" / "other-tools.md").read_text()
    (tmp_path / "resources").symlink_to(project / "resources")
    [program] = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    blocks = re.findall(r"```sh\n(.*?)```", text.replace("\\\n", ""), re.DOTALL)
    words = [shlex.split(block) for block in blocks]
    # an account of wandb is not there
    commands = [[word.replace(",wandb", "") for word in block] for block in words]
    commands = [block for block in commands if block[1] != "push"]
    assert [block[:2] for block in commands] == [
        ["mirror-bert", "evaluate"],
        ["mirror-bert", "tune"],
    ]
    environment = {**os.environ, "PYTHONPATH": str(project)}
    for start in ["-c", program], *(["-m", "workflow_scripts", *block[1:]] for block in commands):
        result = subprocess.run(
            [sys.executable, *start],
            **{"cwd": tmp_path, "env": environment, "capture_output": True, "text": True},
        )
        assert result.returncode == 0, result.stderr
    written = {path.stem for path in tmp_path.glob("mteb-results/*/*/*.json")}
    assert {*(f"STS{year}" for year in range(12, 17)), "STSBenchmark", "SICK-R"} <= written
    assert [*tmp_path.glob("runs/*/events.*")]

"""A tuning in two processes, started as the rules start it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path


def run_in_two_processes(argv: Sequence[str], project: Path, device: str = "cpu") -> None:
    """Run the command that makes an encoder in two processes of one thread."""
    kind = "--cpu" if device == "cpu" else "--multi_gpu"
    launch = [sys.executable, "-m", "accelerate.commands.launch", kind, "--num_processes", "2"]
    launch += ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    launch += ["--main_process_port", "0", "--module", "workflow_scripts.tuning.tune_encoder"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [*launch, *argv], cwd=project, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr

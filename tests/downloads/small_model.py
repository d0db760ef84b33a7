"""A model of the hub for tests of downloads: its files, and a folder that holds it fetched."""

import json
import os
import subprocess
import sys

from small_registry import sha256

from tests.support.fake_hub import COMMIT
from workflow_scripts.downloads.model_folders import HubModel

MODEL = HubModel("owner/small", COMMIT)
FILES = {
    "config.json": b'{"model_type": "bert"}',
    "model.safetensors": bytes(range(256)) * 3000,
    "tokenizer.json": b"{}",
    "1_Pooling/config.json": b'{"pooling_mode": "mean"}',
}


def file_list(files=FILES, model=MODEL):
    rows = [{"name": n, "size": len(body), "sha256": sha256(body)} for n, body in files.items()]
    return {"repository": model.repository, "revision": model.revision, "files": rows}


def write_folder(models, files=FILES, listed=None):
    """Write the model's folder below a folder of models; return it."""
    folder = models / f"owner--small@{COMMIT}"
    for name, body in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "files.json").write_text(json.dumps(listed or file_list()))
    return folder


def run_fetch_model(project, folder, variables, address, *options):
    """Run the command, with the hub of `variables`; return its status and the lines of errors.

    Models and record go below `folder`.
    """
    environment = {name: v for name, v in os.environ.items() if not name.startswith("HF_")}
    command = [sys.executable, "-m", "workflow_scripts.downloads.fetch_model"]
    command += ["--model", address, "--folder", str(folder / "models")]
    command += ["--record", str(folder / "record.json"), *options]
    process = {"cwd": project, "env": environment | variables, "capture_output": True, "text": True}
    result = subprocess.run(command, **process)
    assert "Traceback" not in result.stderr
    errors = [line for line in result.stderr.splitlines() if line.startswith("error: ")]
    return result.returncode, errors

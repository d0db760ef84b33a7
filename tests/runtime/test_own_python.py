"""Steps run in the environment of the Snakemake that was called, activated or not."""

import os
import shutil
import sys

from workflow_scripts.runtime.run_folder import use_own_python


def test_steps_take_the_python_of_this_snakemake(tmp_path, monkeypatch):
    (tmp_path / "python").symlink_to("/bin/true")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin")
    use_own_python()
    assert shutil.which("python") == os.path.join(os.path.dirname(sys.executable), "python")
    path = os.environ["PATH"]
    assert path.endswith(f":{tmp_path}:/usr/bin")
    use_own_python()
    assert os.environ["PATH"] == path

"""`--sdm conda` and `--sdm apptainer`, with fakes of both that note how they are called."""

import shlex
import sys

import pytest
import yaml

pytestmark = pytest.mark.slow

CORPUS = "results/corpora/words-en.txt"
STEP = "-m workflow_scripts.corpora."

# Its environments hold a python that notes its calls and installs nothing.
CONDA = """#!/bin/bash
case "$1 $2" in
  "info --json") echo '{{"conda_prefix": "{prefix}", "platform": "linux-64"}}';;
  "--version "*) echo conda 25.1.0;;
  "config --get") echo '{{"get": {{"channel_priority": "strict"}}}}';;
  "env create"|"create "*)
    echo "conda $*" >> {calls}
    while [ "$1" != --prefix ]; do shift; done
    mkdir -p "$2/bin"
    ln -s {prefix}/python "$2/bin/python";;
  "clean "*) ;;
  *) exit 1;;
esac
"""
PYTHON = """#!/bin/bash
echo "python $*" >> {calls}
[ "$2" = pip ] || exec {python} "$@"
"""
# runs the command after -c where it is
APPTAINER = """#!/bin/bash
[ "$1" = --version ] && {{ echo apptainer version 1.3.4; exit; }}
echo "apptainer $*" >> {calls}
while [ "$1" != -c ]; do shift; done
exec bash -c "$2"
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """The file of calls; conda and apptainer are on the PATH."""
    prefix, file = tmp_path / "prefix", tmp_path / "calls"
    (prefix / "bin").mkdir(parents=True)
    known = {"prefix": prefix, "calls": file, "python": shlex.quote(sys.executable)}
    for place, text in (("bin/conda", CONDA), ("bin/apptainer", APPTAINER), ("python", PYTHON)):
        (prefix / place).write_text(text.format(**known))
        (prefix / place).chmod(0o755)
    (prefix / "bin/activate").write_text('PATH="$1/bin:$PATH"\n')
    monkeypatch.setenv("PATH", f"{prefix}/bin:/usr/bin:/bin")
    return file


@pytest.mark.parametrize("pinned", [False, True])
def test_conda_environments_have_the_packages_of_pip_with_and_without_pins(pinned, fresh, calls):
    if pinned:
        (fresh.folder / "envs" / "plain.linux-64.pin.txt").write_text("@EXPLICIT\n")
    fresh.succeeds(CORPUS, "--sdm", "conda")
    made, installed, ran = calls.read_text().splitlines()
    assert made.startswith("conda create" if pinned else "conda env create")
    assert (".pin.txt " in made) == pinned
    environment = yaml.safe_load((fresh.folder / "envs" / "plain.yaml").read_text())
    pins = environment["dependencies"][2]["pip"]
    assert installed == "python -m pip install --quiet " + " ".join(pins)
    assert ran.startswith(f"python {STEP}")
    # made once
    calls.unlink()
    fresh.succeeds(CORPUS, "--sdm", "conda", "--forceall")
    (ran,) = calls.read_text().splitlines()
    assert ran.startswith(f"python {STEP}")


def test_in_the_container_a_step_runs_from_the_image_that_make_builds(fresh, calls):
    fresh.succeeds(CORPUS, "--sdm", "apptainer")
    lines = calls.read_text().splitlines()
    (line,) = (line for line in lines if line.startswith("apptainer"))
    assert shlex.split(line.split(" bash -c ")[0])[-1] == "envs/container.sif"
    assert STEP in calls.read_text()


def test_without_being_asked_for_neither_is_used_nor_changes_what_is_run(fresh, calls):
    """Shown on two corpora: random strings, and a bucket of words that begins after others."""
    with fresh.edited_config() as config:
        config["corpora"]["random"] = {"kind": "random-strings", "size": 50, "words": [2, 3]}
        bucket = {"kind": "frequent-words", "language": "en", "size": 50, "skip": 200}
        config["corpora"]["words-en-2"] = bucket
    targets = ["results/corpora/random.txt", "results/corpora/words-en-2.txt"]
    fresh.succeeds(*targets)
    assert not calls.exists()
    for target in targets:
        lines = (fresh.folder / target).read_text(encoding="utf-8").splitlines()
        assert len(set(lines)) == 50
    # an image more or less reruns nothing
    (fresh.folder / "envs" / "container.sif").touch()
    assert fresh.planned(*targets) == []

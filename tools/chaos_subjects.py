"""What `tools.chaos` disturbs: each command, and the workflow on a small config.

A subject is a folder with all that a command reads, and the command, which writes into one folder
below. Models are random, of a few units.
"""

import multiprocessing
import os
import re
import runpy
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers.utils import logging

from tools.rehearsal import PROJECT, copy_project, write_yaml
from tools.synthetic_models import synthetic_model

SAMPLE_DATA = PROJECT / "resources" / "sample_data"
MODEL = "model.safetensors"
SECONDS = 600
# the forked runs of commands begin with what takes seconds to import
FORK = multiprocessing.get_context("fork")
# what no run repeats: times, speeds, and what reports them
_VOLATILE = (
    r"results/(logs|benchmarks|\.workflow)/.*|.*running-time\..*|out/steps\.jsonl"
    r"|results/tables/(index\.html|run\.js|status\.js|results\.zip)"
)
_CONFIG: dict[str, Any] = {
    "base": ["datasets.yaml", "recipes.yaml", "tuning_grid.yaml"],
    "seeds": [33],
    "device": "cpu",
    "data": {"root": "resources/sample_data", "label": "the sample data", "missing": "error"},
    "threads": {"tuning": 1, "embedding": 1, "retrieval": 1},
    "models": {"tiny": {"path": "resources/models/tiny"}},
    "recipes": {"mirror-word": {"batch_size": 32, "epochs": 1}},
    "corpora": {"words-en": {"kind": "frequent-words", "language": "en", "size": 200}},
    "retrieval": {
        "linking": {"similarity": "dot", "k": 5},
        "lexicon": {
            "mapping": "orthogonal",
            "regularisation": 0.0,
            "similarity": "csls",
            "neighbours": 10,
            "k": 5,
        },
    },
    "tables": {
        "mixed": {
            "title": "Words and names",
            "columns": [
                {"id": "words", "label": "words", "dataset": "multisimlex-en"},
                {"id": "names", "label": "names", "dataset": "askapatient"},
            ],
            "rows": [
                {"id": "mp", "label": "MP", "model": "tiny", "recipe": "base-mp"},
                {
                    **{"id": "mirror", "label": "Mirror", "model": "tiny"},
                    **{"recipe": "mirror-word", "corpus": "words-en"},
                },
            ],
        }
    },
}


@dataclass(frozen=True)
class Subject:
    """A folder to copy, the words after `python -m` in a copy, and the folder that they write."""

    name: str
    folder: Path
    words: list[str]
    output: str

    @property
    def is_workflow(self) -> bool:
        return self.name == "workflow"

    def results(self, folder: Path) -> dict[str, bytes]:
        """Return what a run in a copy left, by path, but for what no run repeats."""
        paths = {str(path.relative_to(folder)): path for path in (folder / self.output).rglob("*")}
        return {
            name: path.read_bytes()
            for name, path in sorted(paths.items())
            if path.is_file() and not re.fullmatch(_VOLATILE, name)
        }


class Run:
    """A command at work in a folder, a session of its own; `said` is all that it has said."""

    def __init__(self, subject: Subject, folder: Path, name: str) -> None:
        self._file = folder / f"said-{name}"
        self._file.touch()
        self.process = FORK.Process(target=_become, args=(subject, folder, self._file))
        self.process.start()

    def wait(self, seconds: float = SECONDS) -> int | None:
        """Return the exit status, None where it runs on."""
        end = time.monotonic() + seconds
        # not join(), which takes a process that became another program for one that has ended
        while self.process.is_alive() and time.monotonic() < end:
            time.sleep(0.005)
        return self.process.exitcode

    def send(self, number: int, to_group: bool) -> None:
        with suppress(ProcessLookupError, PermissionError):
            (os.killpg if to_group else os.kill)(self.process.pid, number)

    @property
    def said(self) -> str:
        return self._file.read_text(errors="replace")


def _become(subject: Subject, folder: Path, said: Path) -> None:
    """Run a command in this new process, as `python -m` would."""
    os.setsid()
    os.chdir(folder)
    stream = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(stream, descriptor)
    sys.stdout, sys.stderr = (os.fdopen(one, "w", buffering=1, closefd=False) for one in (1, 2))
    os.environ["TMPDIR"] = tempfile.tempdir = str(folder / "tmp")
    if subject.is_workflow:
        os.execv(sys.executable, [sys.executable, "-m", *subject.words])
    sys.argv = list(subject.words)
    try:
        runpy.run_module(subject.words[0], run_name="__main__", alter_sys=True)
    except KeyboardInterrupt:
        # which the package's own hook says, of a process that is not a fork
        sys.exit(130)


def subjects_in(folder: Path) -> dict[str, Subject]:
    """Return the subjects by name, whose folders `make_folders` makes."""
    commands = {
        name: Subject(name, folder / "commands", words.split(), "out")
        for name, words in _commands().items()
    }
    words = ["snakemake", "--configfile", "config/chaos.yaml", "--cores", "2", "all_tables"]
    return commands | {"workflow": Subject("workflow", folder / "workflow", words, "results")}


def make_folders(folder: Path) -> None:
    """Make the folders of all subjects, with what they read."""
    logging.disable_progress_bar()
    workflow = folder / "workflow"
    _make_inputs(folder / "commands" / "in")
    workflow.mkdir()
    copy_project(workflow)
    shutil.rmtree(workflow / "resources" / "models")
    shutil.copytree(folder / "commands/in/model", workflow / "resources" / "models" / "tiny")
    write_yaml(workflow / "config" / "chaos.yaml", _CONFIG)


def _commands() -> dict[str, str]:
    tiny = "in/model --pooling mean --max-length 16"
    machine = "--threads 1 --device cpu"
    tuning = f"--model in/model --output out/encoder {machine} --overwrite --set batch_size=16"
    found = f"{machine} --overwrite --output"
    commands = {
        "tune": f"--corpus in/strings.txt --recipe mirror-word {tuning} --set epochs=1 "
        "--step-log out/steps.jsonl",
        "cmlm": f"--text in/text.txt {tuning} --set max_length=24 --set steps=20 --set epochs=null",
        "embed": f"--model {tiny} --strings in/strings.txt --shard-size 100 {found} out/all.npy "
        "--record out/record.json",
        "link": f"--encoder {tiny} --names in/names.tsv --mentions in/mentions.txt --shard-size 80 "
        f"--index out/index {found} out/links.tsv",
        "search": f"duplicates --encoder {tiny} --strings in/strings.txt --threshold 0.9 "
        f"--shard-size 100 {found} out/pairs.tsv",
        "translate": f"--encoder {tiny} --source-vocabulary in/words.txt --target-vocabulary "
        f"in/mots.txt --dictionary in/pairs.tsv {found} out/words.tsv",
        "evaluate": f"--model {tiny} --datasets askapatient --data-root in/data {machine} "
        "--output out/scores.json",
    }
    return {name: f"workflow_scripts.{name} {options}" for name, options in commands.items()}


def _make_inputs(folder: Path) -> None:
    _save_model(folder / "model")
    names = (SAMPLE_DATA / "names" / "biomedical_names.txt").read_text().splitlines()
    pairs = (SAMPLE_DATA / "bli-xling-eval/en-fr/yacle.train.freq.5k.en-fr.tsv").read_text()
    sides = zip(*(line.split() for line in pairs.splitlines()), strict=True)
    words, translations = (dict.fromkeys(side) for side in sides)
    files = {
        "strings.txt": names[:600],
        "names.tsv": [f"C{number // 2}\t{name}" for number, name in enumerate(names[:400])],
        "mentions.txt": names[300:500],
        "words.txt": words,
        "mots.txt": translations,
        "pairs.tsv": pairs.splitlines(),
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
    shutil.copy2(SAMPLE_DATA / "running-text" / "en.txt", folder / "text.txt")
    shutil.copytree(SAMPLE_DATA / "askapatient", folder / "data" / "askapatient")


def _save_model(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name, body in synthetic_model("tiny", "0" * 40).files.items():
        if name.endswith(".json") or name == MODEL:
            (folder / name).write_bytes(body)

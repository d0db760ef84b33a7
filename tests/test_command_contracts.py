"""What holds of every command and step: what it replaces, and how it fails.

One line says what is wrong; 2 is the status of a mistake and of a full disk, 130 of an interrupt;
no output is half-written, and the next run goes through.
"""

import errno
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import pytest
from command_words import as_argv
from planned_jobs import plan_jobs
from tiny_models import encoder, make_sentences, one_thread, tiny_bert, tiny_roberta
from wiring_project import UNTUNED, make_project, small_config

from workflow_scripts.cli import COMMANDS as NAMES
from workflow_scripts.command_main import run_command
from workflow_scripts.locking import sole_run

__all__ = ["encoder", "one_thread", "tiny_bert", "tiny_roberta"]

PROJECT = Path(__file__).resolve().parents[1]
EXISTS = "exists; choose another or add --overwrite"
NOT_EMPTY = "not empty; choose another or add --overwrite"
OTHER_FILE = "is another file, and is not replaced; choose another"


class Command(NamedTuple):
    """A command with the words that it needs, but its output and what it reads, `inputs`."""

    words: str
    inputs: dict[str, str]
    output: str | None
    refuses: str | None = EXISTS
    locks: bool = True

    def argv(self, *more: str, **changes: str) -> list[str]:
        options = self.inputs | ({"output": self.output} if self.output else {}) | changes
        return [*self.words.split()[1:], *as_argv(options, *more)]

    @property
    def module(self) -> str:
        return f"workflow_scripts.{self.words.split()[0]}"

    @property
    def made(self) -> Path:
        return Path(self.output or "encoder/onnx/model.onnx")


STRINGS = {"encoder": "encoder", "strings": "strings.txt"}
QUICK = "--set batch_size=8 --device cpu --threads 1"
VECTORS = {"source-vectors": "source.vec", "target-vectors": "target.vec"}
SCORED = {"model": "encoder", "data-root": f"{PROJECT}/resources/sample_data"}
ROWS = {
    "tune": Command(
        f"tune --model model --recipe mirror-sentence {QUICK}",
        {"corpus": "strings.txt"},
        *("out/encoder", NOT_EMPTY),
    ),
    "cmlm": Command(
        f"cmlm --model model --epochs 1 {QUICK}",
        {"text": "text.txt"},
        *("out/encoder", NOT_EMPTY),
    ),
    "evaluate": Command(
        "evaluate --datasets simlex999", SCORED, "out/scores.json", OTHER_FILE, locks=False
    ),
    "embed": Command("embed --model encoder", {"strings": "strings.txt"}, "out/v.npy"),
    "link": Command(
        "link --encoder encoder", {"names": "names.tsv", "mentions": "queries.txt"}, "out/o.tsv"
    ),
    "nearest": Command("search nearest", {**STRINGS, "queries": "queries.txt"}, "out/o.tsv"),
    "duplicates": Command("search duplicates --threshold -1", STRINGS, "out/o.tsv"),
    "bitext": Command("search bitext --k 2", {**STRINGS, "targets": "queries.txt"}, "out/o.tsv"),
    "translate": Command(
        "translate", {**VECTORS, "dictionary": "pairs.tsv"}, "out/o.tsv", locks=False
    ),
    "reduce": Command(
        "reduce --model encoder --dimensions 4", {"strings": "strings.txt"}, "out/e", NOT_EMPTY
    ),
    "export": Command("export_onnx", {"encoder": "encoder"}, None, refuses=None, locks=False),
}
REFUSING = [name for name, row in ROWS.items() if row.refuses]
LOCKING = [name for name, row in ROWS.items() if row.locks]
TO_FILES = [name for name, row in ROWS.items() if row.refuses == EXISTS]


@pytest.fixture
def command(request, tmp_path, encoder, tiny_bert, monkeypatch):
    """A row of `ROWS`, in a folder that has the files that commands read."""
    monkeypatch.chdir(tmp_path)
    Path("model").symlink_to(tiny_bert)
    sentences = make_sentences(30)
    texts = {"strings.txt": sentences, "queries.txt": [*sentences[:4], "a cat", "the red dog"]}
    texts["names.tsv"] = [f"C{number}\t{name}" for number, name in enumerate(sentences)]
    texts["text.txt"] = [
        f"{one}.\n" if n % 6 == 5 else f"{one}." for n, one in enumerate(sentences)
    ]
    texts["pairs.tsv"] = [f"s{n}\tt{n}" for n in range(20)]
    for side in ("source", "target"):
        vectors = [f"{side[0]}{n} {n % 7} {n * n % 5} 1" for n in range(20)]
        texts[f"{side}.vec"] = ["20 3", *vectors]
    for name, lines in texts.items():
        Path(name).write_text("\n".join(lines) + "\n")
    return ROWS[request.param]


def run(main, argv, capsys):
    """Return the status of a command that is run in this process, and the last line of errors."""
    capsys.readouterr()
    try:
        run_command(partial(main, argv))
    except SystemExit as ended:
        lines = capsys.readouterr().err.splitlines()
        return ended.code, lines[-1] if lines else ""
    return 0, ""


def contents(folder):
    """Return the files of a folder other than logs and hidden files, which runs continue from."""
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    shown = (p for p in files if not re.search(r"(^|/)\.|\.jsonl$", str(p.relative_to(folder))))
    return {path: path.read_bytes() for path in shown}


def hidden(folder):
    return [*Path(folder).rglob(".*")]


def full(_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def interrupted(_):
    raise KeyboardInterrupt


# by the fault as bytes are synced to the disk: exit status and message
FAULTS = {
    full: (2, r"error: (the disk is full; free|.* cannot be written \(No space left).*"),
    interrupted: (130, r"interrupted: .+"),
}


def test_every_command_is_here():
    modules = {row.words.split()[0] for row in ROWS.values()}
    # these write no single output
    others = {"check_config", "list_recipes", "make_folder", "push"}
    assert modules | others == {module for module, _ in NAMES.values()}


@pytest.mark.parametrize("command", REFUSING, indirect=True)
def test_an_existing_output_is_replaced_only_with_overwrite(command, capsys):
    main, made = import_module(command.module).main, command.made
    made.parent.mkdir()
    if command.refuses == NOT_EMPTY:
        shutil.copytree("encoder", made)
    else:
        made.write_text("mine")
    before = contents(".")
    status, line = run(main, command.argv(), capsys)
    assert (status, contents(".")) == (2, before)
    assert line == f"error: --output {made}: {command.refuses}"
    if command.refuses == OTHER_FILE:
        made.unlink()
        assert [run(main, command.argv(), capsys)[0] for _ in range(2)] == [0, 0]
    else:
        assert run(main, command.argv("--overwrite"), capsys)[0] == 0
        assert contents(".") != before
    assert not hidden(".")


@pytest.mark.parametrize("command", TO_FILES, indirect=True)
def test_no_output_replaces_an_input_or_a_folder(command, capsys):
    main, before = import_module(command.module).main, contents(".")
    Path("folder.npy").mkdir()
    status = run(main, command.argv("--overwrite", output="folder.npy"), capsys)
    assert status == (2, "error: --output folder.npy: is a folder; give a file name")
    for name in [name for name in command.inputs.values() if Path(name).is_file()]:
        if command.made.suffix == ".npy":
            shutil.copy(name, f"{name}.npy")
            before, name = contents("."), f"{name}.npy"
            argv = command.argv("--overwrite", output=name, strings=name)
        else:
            argv = command.argv("--overwrite", output=name)
        told = f"error: --output {name}: is read from, or written by another option; choose another"
        assert run(main, argv, capsys) == (2, told)
    assert contents(".") == before


@pytest.mark.parametrize("command", LOCKING, indirect=True)
def test_of_two_runs_at_once_the_second_is_refused(command, capsys):
    main, before = import_module(command.module).main, sorted(Path().rglob("*"))
    told = f"error: --output {command.output}: another run is writing to it; "
    with sole_run("--output", command.made):
        status, line = run(main, command.argv(), capsys)
    assert (status, line) == (2, told + "wait for it or choose another")
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize(
    ("command", "kept"), [("link", "index"), ("nearest", "vectors")], indirect=["command"]
)
def test_a_link_at_the_place_of_what_a_run_keeps_is_not_followed(command, kept, capsys):
    Path("victim").mkdir()
    command.made.parent.mkdir()
    command.made.with_name(f".{command.made.name}.{kept}").symlink_to(Path("victim").resolve())
    assert run(import_module(command.module).main, command.argv(), capsys)[0] == 0
    assert not hidden(".") and not [*Path("victim").iterdir()]


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("command", ROWS, indirect=True)
def test_a_run_that_ends_early_leaves_nothing_half_written_and_the_next_one_goes_through(
    command, fault, capsys, monkeypatch
):
    main, before = import_module(command.module).main, contents(".")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fault)
        status, line = run(main, command.argv(), capsys)
    expected, told = FAULTS[fault]
    assert (status, contents(".")) == (expected, before)
    assert re.fullmatch(told, line)
    assert run(main, command.argv(), capsys)[0] == 0
    assert command.made.exists() and not hidden(".")


@pytest.mark.parametrize("command", ROWS, indirect=True)
def test_as_a_process_a_mistake_is_one_line_before_anything_is_loaded(command):
    before = sorted(Path().rglob("*"))
    *_, option = command.inputs
    program = f"import sys; from {command.module} import main; "
    program += "from workflow_scripts.command_main import run_command; "
    program += "import atexit; atexit.register(lambda: print('torch' in sys.modules)); "
    program += "run_command(main)"
    words = [sys.executable, "-c", program, *command.argv(**{option: "no/where"})]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "False\n")
    assert re.fullmatch(r"error: .*no/where.*: .*\n", ended.stderr), ended.stderr
    assert sorted(Path().rglob("*")) == before


# the first two of the steps bring all that others import
STARTED = [module for module, _ in NAMES.values()]
STARTED += ["datasets.read_dataset", "tuning.tune_encoder"]


@pytest.mark.parametrize("module", STARTED)
def test_an_interrupt_while_modules_are_imported_is_one_line(module, tmp_path):
    # what all of them import comes with the interrupt
    for name in ("argparse", "pathlib"):
        (tmp_path / f"{name}.py").write_text("raise KeyboardInterrupt\n")
    ended = subprocess.run(
        [sys.executable, "-m", f"workflow_scripts.{module}"],
        **{"cwd": PROJECT, "env": {"PYTHONPATH": str(tmp_path)}},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (130, "interrupted\n")


# ---- steps ---------------------------------------------------------------------------------------

TARGETS = ["all_tables", "all_links", "tuning_grid"]
FIGURE = {
    "kind": "roc",
    "title": "Curve",
    "caption": "A curve.",
    "dataset": "questions",
    "rows": [{"id": "a", **UNTUNED}],
}
RULES = {
    rule
    # of what fetches, tests/downloads has the contracts
    for file in {*(PROJECT / "rules").glob("*.smk")} - {PROJECT / "rules" / "downloads.smk"}
    for block in re.split(r"\n(?=rule )", file.read_text(encoding="utf-8"))
    if "shell:" in block and (rule := block.removeprefix("rule ").partition(":")[0]).isidentifier()
}
STEPS = sorted(RULES)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """A job of each rule, in a small project in which all have run."""
    folder = tmp_path_factory.mktemp("steps") / "project"
    make_project(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        config = small_config() | {"figures": {"curve": {**FIGURE, "paper": "mirror-bert"}}}
        planned = [job for job in plan_jobs(config, TARGETS) if job.runs]
        for job in planned:
            assert "error" not in (result := job.run()), result
        yield {job.rule: job for job in planned}


@pytest.mark.slow
@pytest.mark.parametrize("rule", STEPS)
def test_a_step_that_ends_early_leaves_results_as_they_were(rule, jobs, capsys, monkeypatch):
    job = jobs[rule]
    main, before = import_module(job.module).main, contents("results")
    for fault, (expected, told) in FAULTS.items():
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fault)
            status, line = run(main, [*job.arguments], capsys)
        assert (status, contents("results")) == (expected, before)
        assert re.fullmatch(told, line)
    status, line = run(main, [*job.arguments, "--no-such-option"], capsys)
    assert status == 2 and line.startswith("error: --no-such-option: no such option; ")
    assert contents("results") == before
    assert run(main, [*job.arguments], capsys)[0] == 0
    assert {path.suffix for path in hidden("results")}.isdisjoint({".tmp", ".old"})

"""`tune --report-to`: what trackers get is the step log, and the encoder is the same without."""

import json
import sys
import types

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tiny_models import RECIPE, make_sentences, one_thread, tiny_bert

import mirror_bert
from workflow_scripts.tune import main as tune
from workflow_scripts.tuning import trackers

__all__ = ["one_thread", "tiny_bert"]

STRINGS = make_sentences(24)
SCORED = [(STRINGS[row], STRINGS[row + 1], float(row % 5)) for row in range(20)]


@pytest.fixture
def recipes(tmp_path):
    (tmp_path / "recipes.yaml").write_text(json.dumps({"recipes": {"own": RECIPE}}))
    (tmp_path / "strings.txt").write_text("".join(f"{string}\n" for string in STRINGS))
    return tmp_path / "recipes.yaml"


@pytest.fixture
def wandb(monkeypatch):
    """A package that replaces wandb and keeps what it gets."""
    package = types.ModuleType("wandb")
    package.logged, package.started, package.finished = [], [], 0

    class Run:
        def log(self, values, step):
            package.logged.append({"step": step, **values})

        def finish(self):
            package.finished += 1

    def init(**options):
        package.started.append(options)
        return Run()

    package.init = init
    package.config = types.SimpleNamespace(
        update=lambda values, **_: package.started.append(values)
    )
    monkeypatch.setitem(sys.modules, "wandb", package)
    real = trackers.find_spec
    monkeypatch.setattr(trackers, "find_spec", lambda name: name == "wandb" or real(name))
    return package


def bytes_of(folder):
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_trackers_get_the_step_log_and_change_no_byte(tiny_bert, recipes, wandb, tmp_path):
    folders = [tmp_path / name for name in ("plain", "tracked")]
    for folder in folders:
        words = ["--model", tiny_bert, "--recipe", "own", "--recipes", recipes, "--output", folder]
        words += ["--corpus", tmp_path / "strings.txt", "--device", "cpu", "--threads", 1]
        words += ["--step-log", tmp_path / f"{folder.name}.jsonl"]
        if folder.name == "tracked":
            words += ["--report-to", "tensorboard,wandb", "--tracking-folder", tmp_path / "runs"]
        tune([*map(str, words)])
    assert bytes_of(folders[0]) == bytes_of(folders[1])
    steps = [json.loads(line) for line in (tmp_path / "tracked.jsonl").read_text().splitlines()]
    assert [step["step"] for step in steps] == [1, 2, 3]
    assert wandb.logged == steps
    [run] = (tmp_path / "runs").iterdir()
    events = EventAccumulator(str(run)).Reload()
    assert {"loss", "learning_rate", "alignment", "uniformity"} <= {*events.Tags()["scalars"]}
    for name in ("loss", "learning_rate", "uniformity"):
        values = [(event.step, event.value) for event in events.Scalars(name)]
        expected = [(step["step"], pytest.approx(step[name], rel=1e-6)) for step in steps]
        assert values == expected
    options, settings = wandb.started
    assert options["project"] == "mirror-bert" and options["name"] == run.name
    assert run.name.startswith("tiny-bert-own-seed33-")
    assert (settings["temperature"], settings["corpus"]) == (0.1, "strings.txt")
    assert wandb.finished == 1


def test_from_python_the_score_on_the_development_set_is_tracked_too(
    tiny_bert, recipes, wandb, tmp_path
):
    how = {"recipe": "own", "recipes": recipes, "development": SCORED, "development_every": 2}
    how |= {"device": "cpu", "threads": 1, "tracking_folder": tmp_path / "runs"}
    mirror_bert.tune(tiny_bert, STRINGS, report_to="wandb", **how)
    scores = {row["step"]: row["development"] for row in wandb.logged if "development" in row}
    assert sorted(scores) == [0, 2, 3]


@pytest.mark.parametrize(
    ("report_to", "message"),
    [
        ("tensorbord", "--report-to tensorbord: no such tracker; did you mean 'tensorboard'?"),
        ("comet", "--report-to comet: no such tracker; known are tensorboard, wandb"),
        (["tensorboard", "wandb"], "--report-to wandb: not installed; pip install wandb"),
    ],
)
def test_a_tracker_that_is_not_there_is_one_line(
    report_to, message, tiny_bert, recipes, monkeypatch, tmp_path
):
    real = trackers.find_spec
    monkeypatch.setattr(trackers, "find_spec", lambda name: None if name == "wandb" else real(name))
    with pytest.raises(mirror_bert.UserError) as error:
        mirror_bert.tune(
            *(tiny_bert, STRINGS),
            **{"recipe": "own", "recipes": recipes, "report_to": report_to},
            tracking_folder=tmp_path / "runs",
        )
    assert str(error.value) == message
    assert not (tmp_path / "runs").exists()


def test_a_tracker_that_does_not_start_is_one_line(
    tiny_bert, recipes, wandb, monkeypatch, tmp_path
):
    def refuse(**_):
        raise RuntimeError("api_key not configured\n(no-tty)")

    monkeypatch.setattr(wandb, "init", refuse)
    how = {"recipe": "own", "recipes": recipes, "report_to": "wandb", "device": "cpu"}
    with pytest.raises(mirror_bert.UserError) as error:
        mirror_bert.tune(tiny_bert, STRINGS, tracking_folder=tmp_path / "runs", **how)
    expected = "does not start (api_key not configured (no-tty)); run `wandb login`, or set WANDB_M"
    assert str(error.value).startswith(f"--report-to wandb: {expected}")

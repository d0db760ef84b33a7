"""The overview: cells counted, tasks by models; the first page, run.js and the zip around it."""

import json
import platform
import subprocess
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from html_reading import Page

from workflow_scripts.tables import assemble_index, run_records
from workflow_scripts.tables.cells import Cell, write_cells
from workflow_scripts.tables.filling import NO_PLACE
from workflow_scripts.tables.overview import Line, count, tasks, verdict
from workflow_scripts.tables.render import status_script
from workflow_scripts.tables.run_records import commit, duration, note_start, provenance, read_jobs
from workflow_scripts.usage import STARTED, write_usage


def cell(row: str, column: str = "avg", **changes: Any) -> Cell:
    return Cell("t", row, column, **({"seeds": 1} | changes))


BASE = cell("mp", mean=0.25, published=Decimal("0.267"))
TUNED = cell(
    **{"row": "mirror", "mean": 0.5, "published": Decimal("0.556"), "against": "mp"},
    **{"against_difference": Decimal("0.250"), "p_value": 0.002},
)
TOLD = {"mean": 0.5, "published": Decimal("0.5"), "tolerance": Decimal("0.01")}
ROW = {"row": "mirror", "label": "+ Mirror", "against": "mp", "against_label": "BERT"}
ENCODER = "bert/mirror/words/seed33"
JOBS = [f"tune_encoder/{ENCODER}", f"score_suite/{ENCODER}/words"]
HEADLINE = {"table": "t", "task": "Words", "column": "avg", "lower_is_better": False}


def test_every_cell_ran_or_did_not_and_those_compared_agree_or_do_not():
    cells = [
        cell("a", **TOLD, difference=Decimal("0.01")),
        cell("b", **TOLD, difference=Decimal("-0.011"), assumptions=("x",)),
        *(BASE, TUNED, cell("c", reasons=("no vectors",)), cell("d", mean=0.1)),
        # a published value without a row is not one of our cells
        cell("e", reasons=(NO_PLACE,), published=Decimal("0.5")),
    ]
    expected = {"cells": 6, "ran": 5, "compared": 2, "inside": 1, "outside": 1}
    assert count(cells) == expected | {"assumed": 1}
    assert set(count([]).values()) == {0}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (185, "3 min 5 s"), (8040, "2 h 14 min")],
)
def test_durations(seconds, text):
    assert duration(seconds) == text


def checkout(folder: Path) -> str:
    """Make a git checkout of one file; return its commit as pages show it."""
    folder.mkdir()
    (folder / "a").write_text(folder.name)
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in ("init --quiet", "add a", "commit --quiet --message one", "rev-parse HEAD"):
        command = ["git", *who, *words.split()]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout[:12]


def test_the_commit_is_that_of_the_project_s_folder_itself(tmp_path, monkeypatch):
    own, other = (checkout(tmp_path / name) for name in ("own", "other"))
    (tmp_path / "own/within").mkdir()
    # within a checkout of something else, and of none
    for folder in ("own/within", "."):
        monkeypatch.setattr(run_records, "PROJECT", tmp_path / folder)
        assert commit() == "not known: no git checkout"
    monkeypatch.setattr(run_records, "PROJECT", tmp_path / "own")
    # variables as within a hook of git's, or of a person for another command
    for name, file in {"DIR": "other/.git", "WORK_TREE": "other", "INDEX_FILE": "none"}.items():
        assert commit() == own != other
        monkeypatch.setenv(f"GIT_{name}", str(tmp_path / file))
    (tmp_path / "own/a").write_text("2")
    assert commit() == f"{own}, edited since"
    # which a run hands on to its jobs
    monkeypatch.setenv(STARTED, "")
    note_start()
    (tmp_path / "benchmarks").mkdir()
    write_usage(str(tmp_path / "benchmarks/job.tsv"), 0)
    (job,) = read_jobs(tmp_path, ["job"]).values()
    assert job.commit == f"{own}, edited since"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """The folder `results` of one table, whose encoder left a card, a log and a time."""
    results, encoder = tmp_path / "results", ENCODER
    for name, text in {
        f"encoders/{encoder}/README.md": "a card",
        f"logs/tune_encoder/{encoder}.log": "a log",
        f"benchmarks/tune_encoder/{encoder}.tsv": "s\n61.04\n",
        f"benchmarks/score_suite/{encoder}/words.tsv": "s\n0.5\n",
        # of an encoder of another config, and of another program
        "benchmarks/tune_encoder/gone/a/b/seed1.tsv": "s\n5\n",
        "benchmarks/other.tsv": "x\n",
        "tables/t.html": "a page",
        "figures/f.png": "a picture",
    }.items():
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(text)
    return results


def index(
    results: Path,
    cells: Iterable[Cell] = (BASE, TUNED),
    paper: Iterable[str] = (),
    percent: bool = False,
    **row: Any,
) -> str:
    """Return the first page of a table of cells; `row` changes that of its overview."""
    write_cells(results / "tables/cells/t.tsv", cells)
    page = {"id": "t", "title": "Words & more", "task": "Similarity"}
    table = page | {"cells": str(results / "tables/cells/t.tsv")}
    figure = {"id": "f", "title": "ROC <curve>", "task": "Pairs", "cells": table["cells"]}
    block = {
        "papers": {
            "own": {"tables": [table], "figures": []},
            "one": {"tables": [], "figures": [figure]},
        },
        **{"order": ["one"], "titles": {}, "seeds": [33, 44]},
        "overview": {"own": [HEADLINE | {"percent": percent, "rows": [ROW | row]}]},
        "scores": [str(results / f"scores/{ENCODER}/words.tsv")],
        **{"encoders": [ENCODER], "jobs": JOBS, "models": {"bert": "a <small> model"}},
        "recipes": {"mirror": {"span_masking": None, "epochs": 2}},
        "trained": {"bert/cmlm/text/seed1": "a folder, 4,000 steps"},
        **{"label": "the sample data", "data": "the sample data; unchecked", "paper": [*paper]},
    }
    file = results.parent / "block.json"
    file.write_text(json.dumps(block))
    words = ["--block", str(file)]
    for key, name in {"output": "index.html", "script": "run.js", "zip": "results.zip"}.items():
        words += [f"--{key}", str(results / "tables" / name)]
    assemble_index.main(words)
    return (results / "tables/index.html").read_text(encoding="utf-8")


PAPERS = "26.7 → 55.6"
MISSING = cell("mirror", reasons=("no <corpus>",), published=Decimal("0.556"))
INTERVAL = {"against_low": -0.01, "against_high": 0.301, "n": 1200}
REST = ["–", ".002", "–", "–"]
UNPUBLISHED = [replace(one, published=None) for one in (BASE, TUNED)]


@pytest.mark.parametrize(
    ("changes", "cells", "line"),
    [
        (
            {},
            [BASE, replace(TUNED, **INTERVAL)],
            ["BERT + Mirror", "25.0", "50.0", "+25.0", "−1.0 to +30.1", ".002", "1,200", PAPERS],
        ),
        (
            {"label": "CMLM"},
            [BASE, replace(TUNED, p_value=0.05), cell("mp", "en", mean=0.9)],
            ["CMLM vs BERT", "25.0", "50.0", "+25.0", "–", ".050", "–", PAPERS],
        ),
        (
            {},
            [BASE, replace(TUNED, mean=0.1, p_value=0.0004, published=None)],
            ["BERT + Mirror", "25.0", "10.0", "−15.0", "–", "< .001", "–", "–"],
        ),
        # in per cent, and values other than scores between -1 and 1
        ({"percent": True}, UNPUBLISHED, ["BERT + Mirror", "0.2", "0.5", "+0.3", *REST]),
        (
            {},
            [replace(UNPUBLISHED[0], mean=25.04), replace(UNPUBLISHED[1], mean=49.96)],
            ["BERT + Mirror", "25.0", "50.0", "+25.0", *REST],
        ),
    ],
)
def test_a_line_has_both_rows_ours_and_the_papers_and_the_difference(made, changes, cells, line):
    text = index(made, cells, **changes)
    assert Page(text).tables[0][1] == ["Words", *line]
    assert ('class="significant"' in text) == (cells[1].p_value < 0.05)
    assert "Not run" not in text and "Smoke tests" not in text


@pytest.mark.parametrize(
    ("cells", "reason"),
    [([BASE, MISSING], "no &lt;corpus&gt;"), ([], "the table has no such row")],
)
def test_what_did_not_run_is_folded_with_its_reason(made, cells, reason):
    text = index(made, cells)
    assert Page(text).tables == [] and '<svg class="dots" role="img"' not in text
    assert "<summary>Not run: 1 of 1 comparisons</summary>" in text
    assert f"BERT + Mirror: {reason}. The paper: {PAPERS if cells else '–'}." in text


def line(task: str, change: float, p_value: float | None, **changes: Any) -> Line:
    tuned = cell("mirror", mean=0.5 + change, against="mp", p_value=p_value)
    known = {"factor": 100, "lower_is_better": False, "base": cell("mp", mean=0.5), "tuned": tuned}
    return Line(task, f"{task}.html", "BERT + Mirror", **(known | changes))


def test_a_smoke_test_is_folded_and_what_was_trained_before_is_said(made):
    steps = "24 steps, 1,000,000 in the paper"
    text = index(made, smoke_test=steps)
    assert "<summary>Smoke tests: 1 of 1 comparisons</summary>" in text
    assert f"; {steps}.</li>" in text and '<svg class="dots" role="img"' not in text
    assert "helps on" not in text
    text = index(made, trained_before="cmlm-en-mini, 4,000 steps")
    assert text.count("Trained before this run: cmlm-en-mini, 4,000 steps.") == 1


def test_verdicts_say_on_which_tasks_a_method_helps():
    made = tasks(
        [
            line("words", 0.1, 0.001),
            line("words", 0.05, 0.3),
            line("names", -0.1, 0.01),
            line("pairs", 0.01, 0.05),
            line("pairs", -0.02, 0.4),
            line("bias", -0.2, 0.002, lower_is_better=True),
            line("both", 0.1, 0.01),
            line("both", -0.1, 0.01),
            line("gone", 0.1, 0.01, tuned=MISSING),
            line("words", -0.2, 0.001, smoke_test="24 steps, 1,000,000 in the paper"),
        ]
    )
    headline, rest = verdict("Mirror-BERT", made)
    assert headline == "Mirror-BERT helps on 2 of 5 tasks: words; bias."
    expected = "Hurts on names. Helps one encoder and hurts another on both. "
    assert rest.replace("\xa0", " ") == expected + "Not shown on pairs (p ≥ .050)."
    shown = [task.verdict.replace("\xa0", " ") for task in made]
    assert shown[0] == "Helps: +10.0 (p = .001). May be chance: +5.0 (p = .300)."
    assert shown[1] == "Hurts: −10.0 (p = .010)."
    assert shown[3] == "Helps: −20.0 (p = .002)."
    (untested,) = tasks([line("words", 0.1, None)])
    assert untested.verdict == "May be chance: +10.0 (not tested)."


def test_the_bar_of_a_plot_is_the_interval_of_the_difference():
    interval = {"against": "mp", "against_low": -0.02, "against_high": 0.14, "p_value": 0.2}
    tuned = cell("mirror", mean=0.56, n=900, published=Decimal("0.7"), **interval)
    base = cell("mp", mean=0.5, published=Decimal("0.6"))
    drawn = line("words", 0, None, base=base, tuned=tuned).drawn
    shown = (drawn.label, drawn.numbers, drawn.tone)
    assert shown == ("BERT + Mirror", "50.0 → 56.0, n = 900", "unclear")
    values = (drawn.before, drawn.after, drawn.low, drawn.high, *drawn.reference)
    assert values == pytest.approx((50, 56, 48, 64, 60, 70))


def test_the_first_page_links_all_by_paper_and_says_what_made_it(made, monkeypatch):
    started = {"command": ["snakemake", "--config", "a=b c"], "started": 0}
    monkeypatch.setenv(STARTED, json.dumps(started))
    text = index(made)
    page = Page(text)
    for link in ("t.html", "../figures/f.html", "../figures/f.png", "results.zip", "scores.tsv"):
        assert link in page.links
    # papers in the order of the config, tables and figures of no paper last
    counted = ": 2 of 2 measured, 0 compared with the paper"
    assert text.index(f"Paper one{counted}") < text.index(f"Your own{counted}")
    assert "snakemake --config &#39;a=b c&#39;" in text
    # of the jobs that the config asks for: 61.04 + .5, not the 5 of another one
    assert "2 jobs, together 1 min 2 s" in text
    assert "a &lt;small&gt; model" in text and "ROC &lt;curve&gt;" in text
    assert "nothing here reproduces a paper" in text
    assert "reproduces" not in index(made, paper=["one"])
    monkeypatch.delenv(STARTED)
    assert "not known: made by the step alone" in index(made)


def test_run_js_and_the_zip_have_what_is_there_of_what_is_shown(made):
    index(made)
    text = (made / "tables/run.js").read_text(encoding="utf-8")
    assert json.loads(text.removeprefix("window.run = ").removesuffix(";\n")) == {
        "cards": [ENCODER],
        "models": {"bert": "a <small> model"},
        "recipes": {"mirror": "epochs: 2 · span_masking: null"},
        "trained": {"bert/cmlm/text/seed1": "a folder, 4,000 steps"},
        # the log of the second is not there
        "steps": [
            [f"score_suite/{ENCODER}/words", 0.5, False],
            [f"tune_encoder/{ENCODER}", 61.0, True],
        ],
    }
    with zipfile.ZipFile(made / "tables/results.zip") as archive:
        names = set(archive.namelist())
        page = archive.read("tables/index.html").decode()
        # whole as it was packed, whatever a later run does to the folder
        assert archive.read("tables/status.js").decode() == status_script({"pages": {}})
    assert names == {
        *(f"tables/{name}" for name in ("index.html", "run.js", "status.js", "t.html")),
        *("tables/cells/t.tsv", "figures/f.png"),
        *(f"encoders/{ENCODER}/README.md", f"logs/tune_encoder/{ENCODER}.log"),
    }
    assert "results.zip" not in page and "t.html" in page


def record(results: Path, job: str, *about: str) -> None:
    file = results / f"benchmarks/{job}.tsv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("s\tmachine\tcommit\tversions\n" + "\t".join(("1.5", *about)) + "\n")


def test_what_made_the_scores_is_of_their_jobs_not_of_the_page(made):
    """Mixed versions, machines and commits are counted, and jobs of older runs are unknown."""
    encoders, jobs = [f"bert/mirror/words/seed{seed}" for seed in (33, 34, 35, 36)], []
    for encoder, torch in zip(encoders, ("2.12", "2.13", "2.13", None), strict=True):
        records = {
            f"tune_encoder/{encoder}": ("a GPU", "abc", "python 3.11.2, torch 9"),
            f"embed_suite/{encoder}/words": ("a GPU", "abc", ""),
            f"score_suite/{encoder}/words": ("a laptop", "abc, edited since", "numpy 2.0"),
        }
        for job, about in records.items():
            record(made, job, *about)
        jobs += records
        for file in (f"encoders/{encoder}/encoder.json", f"embeddings/{encoder}/words.json"):
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            content = {"versions": {"torch": torch, "transformers": "5"}} if torch else {}
            (made / file).write_text(json.dumps(content))
    record(made, "assemble_table/t", "a page's", "a page's", "")
    jobs += ["assemble_table/t", "no/such"]
    shown = provenance(made, read_jobs(made, jobs), encoders)
    page = shown.pop("This page")
    assert page[:2] == [f"python {platform.python_version()}", f"snakemake {version('snakemake')}"]
    assert shown == {
        "Encoders (4)": [
            "torch 2.13 (2 encoders); 2.12 (1 encoder)",
            *("transformers 5", "not known (1 encoder)"),
        ],
        "Vectors (4 files)": [
            "torch 2.13 (2 files); 2.12 (1 file)",
            *("transformers 5", "not known (1 file)"),
        ],
        "Scores (4 files)": ["numpy 2.0"],
        "Machines": ["a GPU (8 jobs); a laptop (4 jobs)"],
        "Commits": ["abc (8 jobs); abc, edited since (4 jobs)"],
    }
    # of a run before there were such records
    (made / f"benchmarks/{jobs[0]}.tsv").write_text("s\n3\n")
    shown = provenance(made, read_jobs(made, jobs), encoders)
    assert "not known (1 job)" in shown["Machines"][0]

"""Which pages show older values: by content, and by what runs were to make and did not."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from workflow_scripts.canonical import canonical
from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.plan.page_status import PageStatus, command_for_all
from workflow_scripts.runtime.snakemake_run import SnakemakeRun
from workflow_scripts.scoring.tidy_scores import Score, write_scores
from workflow_scripts.tables.document import Document
from workflow_scripts.tables.page_records import cell_files, input_files, make_record
from workflow_scripts.tables.render import write_document

INDEX, SCORES, CARD = "tables/index", "tables/scores", "tables/scorecard"


class SmallRun:
    """A folder with the pages of a table `a` and a figure `f`, and runs that make some of them."""

    def __init__(self) -> None:
        self.titles = {"a": "A", "f": "F"}
        self.make_scores(0.5)
        for name in ("tables/cells/a.tsv", "figures/cells/f.tsv"):
            self.write(name, "cells")
        self.make_pages("tables/a", "figures/f", CARD, INDEX, SCORES)

    def write(self, name: str, text: str) -> None:
        file = Path("results", name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def make_scores(self, value: float) -> None:
        row = Score("m", "r", "c", 1, "d", "test", "spearman", value, None, None, 9, 1.0, {})
        write_scores("results/scores/s.tsv", [row])

    def block(self, section: str, name: str) -> str:
        if name in ("index", "scorecard"):
            pages = {
                place: [{"id": one, "cells": f"results/{place}/cells/{one}.tsv"}]
                for place, one in (("tables", "a"), ("figures", "f"))
            }
            return canonical({"papers": {"p": pages}})
        part = {"not_run": None, "parts": [{"scores": ["results/scores/s.tsv"]}]}
        block = {"kind": "cosines", "title": self.titles[name], "panels": [part], "reference": None}
        if section == "tables":
            block |= {"kind": "running-time", "groups": [{"files": ["results/scores/s.tsv"]}]}
        return canonical(block)

    def make_pages(self, *pages: str) -> None:
        for page in pages:
            if page == SCORES:
                self.write("tables/scores.tsv", Path("results/scores/s.tsv").read_text())
                continue
            block = json.loads(self.block(*page.split("/")))
            is_of_all = page in (INDEX, CARD)
            section = page.partition("/")[0]
            inputs = cell_files(block) if is_of_all else {"inputs": input_files(section, block)}
            record = make_record(block, inputs, "results")
            document = Document(page, "T", ())
            write_document(f"results/{page}", document, "html", record=record)

    def run(self, *todo: str, up_to_date: tuple[str, ...] = ()) -> "OneRun":
        """Start a run that will make some pages."""
        run = OneRun(self, todo, up_to_date)
        if todo:
            run.status.start()
        return run

    def make_again(self, *todo: str) -> None:
        """Run from start to end."""
        run = self.run(*todo)
        run.finish(*todo)
        run.status.end()


class OneRun:
    """A run with jobs for the pages `todo`, which it will make, and for those `up_to_date`."""

    def __init__(self, small: SmallRun, todo, up_to_date) -> None:
        jobs = {page: self.job(page) for page in (*todo, *up_to_date)}
        self.done = set()
        dag = SimpleNamespace(
            jobs=jobs.values(),
            needrun=lambda job: job.page in todo,
            finished=lambda job: job.page in self.done,
        )
        blocks = {
            section: {name: SimpleNamespace(title=small.titles[name])}
            for section, name in (("tables", "a"), ("figures", "f"))
        }
        plan = SimpleNamespace(
            config=SimpleNamespace(results="results"),
            outputs=SimpleNamespace(block=small.block, **blocks),
            cells=SimpleNamespace(all_scores=lambda: ["results/scores/s.tsv"]),
            hashes=ContentHashes(Path("results/.workflow/hashes.jsonl")),
        )
        settings = SimpleNamespace(dryrun=False)
        workflow = SimpleNamespace(
            dag=dag, is_main_process=True, output_settings=settings, modifier=None
        )
        self.settings, self.jobs = settings, jobs
        self.status = PageStatus(plan, SnakemakeRun(workflow))
        self.made = small.make_pages

    def job(self, page: str) -> SimpleNamespace:
        ending = "tsv" if page == SCORES else "html"
        return SimpleNamespace(page=page, output=[f"results/{page}.{ending}"])

    def finish(self, *pages: str) -> None:
        for page in pages:
            self.made(page)
            self.done.add(page)
            self.status.finished(self.jobs[page].output)


@pytest.fixture
def small(tmp_path, monkeypatch) -> SmallRun:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["snakemake", "results/tables/a.html", "-c2"])
    return SmallRun()


def states() -> dict[str, str]:
    text = Path("results/tables/status.js").read_text()
    status = json.loads(text.removeprefix("window.runStatus = ").removesuffix(";\n"))
    return {page: entry["state"] for page, entry in status["pages"].items()}


def test_pages_of_the_same_bytes_are_up_to_date_whatever_their_dates(small, capsys):
    small.make_scores(0.5)
    run = small.run("tables/a")
    assert states() == {"tables/a": "running"}
    run.finish("tables/a")
    run.status.end()
    assert states() == {}
    assert capsys.readouterr().out == (
        "Done. Tables asked for are in results/tables: open index.html there\n"
    )


def test_pages_are_older_whose_scores_cells_or_config_are_others(small, capsys):
    small.make_scores(0.6)
    small.write("tables/cells/a.tsv", "other cells")
    small.make_again("tables/a")
    assert states() == dict.fromkeys((INDEX, CARD, "figures/f", SCORES), "older")
    assert capsys.readouterr().out == (
        "Done. Made: results/tables/a.html\n"
        "These show older values:\n"
        "  results/tables/index.html, results/tables/scorecard.html: It was made before tables/a "
        "was made again.\n"
        "  results/figures/f.html, results/tables/scores.tsv: Its contents were made again, "
        "or removed, since then.\n"
        "To bring everything up to date: snakemake all_tables -c2\n"
    )
    small.make_scores(0.5)
    small.titles["f"] = "Another title"
    run = small.run("tables/a")
    # what was seen to be older stays so while it is not compared again
    assert states() == dict.fromkeys((INDEX, CARD, "figures/f", SCORES), "older") | {
        "tables/a": "running"
    }
    run.finish("tables/a")
    run.status.end()
    assert "results/figures/f.html: The config has changed since then." in capsys.readouterr().out
    Path("results/scores/s.tsv").unlink()
    small.run().status.end()
    assert {"tables/a", "figures/f", SCORES} <= states().keys()


@pytest.mark.parametrize("is_killed", [True, False])
def test_what_a_killed_or_failed_run_did_not_make_stays_older(small, is_killed, capsys):
    """Though files are the same: what it was to make them from was not made."""
    run = small.run("tables/a", "figures/f", INDEX)
    run.finish("figures/f")
    state = "running" if is_killed else "failed"
    if not is_killed:
        run.status.end(["tune_encoder x: error: no; log: y.log"])
        assert "Done" not in capsys.readouterr().out
        assert '"failed": [\n  "tune_encoder x: error: no; log: y.log"' in (
            Path("results/tables/status.js").read_text()
        )
    assert states() == {"tables/a": state, INDEX: state}
    # a run of something else
    other = small.run(CARD)
    assert states() == {"tables/a": state, INDEX: state, CARD: "running"}
    other.finish(CARD)
    other.status.end()
    assert states() == {"tables/a": state, INDEX: state}
    assert "open index.html" not in capsys.readouterr().out
    # one that finds that they are as they should be, as after an edit that was taken back
    dry = small.run(up_to_date=("tables/a", INDEX))
    dry.settings.dryrun = True
    dry.status.nothing_to_do()
    assert states() == {"tables/a": state, INDEX: state}
    small.run(up_to_date=("tables/a", INDEX)).status.nothing_to_do()
    assert states() == {}


def test_an_interrupted_run_without_failed_jobs_is_not_done(small, capsys):
    small.run("tables/a").status.end([])
    said = capsys.readouterr().out
    assert "Done" not in said and "results/tables/a.html: The run that began " in said


def test_before_the_first_page_of_all_nobody_is_sent_to_it(small, capsys):
    for page in (INDEX, CARD):
        Path(f"results/{page}.html").unlink()
    small.make_again("tables/a")
    assert capsys.readouterr().out == (
        "Done. Made: results/tables/a.html\n"
        "results/tables/index.html, which shows everything, is not made yet.\n"
        "To bring everything up to date: snakemake all_tables -c2\n"
    )


@pytest.mark.parametrize("text", ["", "x", "window.runStatus = {", "window.runStatus = [1];"])
def test_a_damaged_status_is_written_anew(small, text):
    small.write("tables/status.js", text)
    small.run("tables/a")
    assert states() == {"tables/a": "running"}


def test_a_page_of_an_earlier_version_is_older(small):
    small.write("figures/f.html", "<html></html>")
    small.make_again("tables/a")
    assert states() == {"figures/f": "older"}


KEPT = (
    " -j 8 --configfile a.yaml b.yaml --config results=out",
    " --workflow-profile profiles/slurm --sdm conda",
)


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("", ""),
        ("--cores 2 results/tables/a.html", " --cores 2"),
        ("results/tables/a.html -c2 -n --forcerun tune_encoder", " -c2"),
        ("--cores=4 --until x a --keep-going", " --cores=4"),
        *((f"a.html{kept}", kept) for kept in KEPT),
    ],
)
def test_the_command_for_all_keeps_config_and_resources(words, kept):
    assert command_for_all(words.split()) == f"snakemake all_tables{kept}"

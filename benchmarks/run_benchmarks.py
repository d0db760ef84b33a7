"""Time and memory of Mirror tuning, embedding and classifiers, against other ways to do the same.

One process a run; rounds in which every way has its turn. Writes every measurement to a tsv file
and the report. With --gpu: tuning and embedding with a model of BERT-base's shape on a GPU, seconds
and share of its peak; the weights are random, which serves for speed.
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.child_process import run_job
from benchmarks.measurements import ABOUT, Measurement, describe_machine, rows_of
from benchmarks.report import save_report
from benchmarks.sections import Workload
from benchmarks.settings import Settings, add_arguments, read_settings
from benchmarks.workloads import WORKLOADS
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError, nearest_name

# `--only senteval` takes long: the plain way does; `make bench-scale` has the last two
_ASKED_FOR = ("quality", "gpu", "senteval", "linking", "csls")
USUAL = [name for name, one in WORKLOADS.items() if one.section.name not in _ASKED_FOR]
ON_GPU = [name for name, one in WORKLOADS.items() if one.section.name == "gpu"]


def named(name: str) -> list[str]:
    """Return the workload of a name, or those of the section of that name; `UserError` for none."""
    sections = [one.section.name for one in WORKLOADS.values()]
    if name not in [*WORKLOADS, *sections]:
        known = [*WORKLOADS, *dict.fromkeys(sections)]
        raise UserError(f"--only {name}", "no such benchmark", nearest_name(name, known))
    of_section = [other for other, one in WORKLOADS.items() if one.section.name == name]
    return [name] if name in WORKLOADS else of_section


def measure(workload: Workload, settings: Settings, folder: Path) -> list[Measurement]:
    """Return the measurements of a workload; `folder` takes strings, models and vectors."""
    section, task = workload.section, workload.task
    said, job_of = section.prepare(workload, settings, folder)
    about = {"model": settings.model.resolve().name, "threads": settings.threads}
    about = {**describe_machine(), **about, "recipe": workload.recipe, **said}
    rows = rows_of(section.name, task, ABOUT, 0, about)
    for run in range(1, max(settings.runs, section.fewest_runs) + 1):
        # in turns, so that what else the machine does falls on all ways
        for way in section.ways:
            what = f"{section.name}, {task}, {way}, run {run}"
            job = job_of(way, run) | {"way": way}
            rows += rows_of(section.name, task, way, run, run_job(what, job, section.shown))
    return rows


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser)
    report = "report to write, .md; all measurements go into a .tsv next to it, old ones included"
    parser.add_argument("--output", required=True, type=Path, help=report)
    only = f"of {','.join(WORKLOADS)}, by commas; senteval, tuning, ... are all of a section"
    parser.add_argument("--only", help=only)
    parser.add_argument("--quality", action="store_true", help="the guard of quality as well")
    parser.add_argument("--gpu", action="store_true", help="what is measured on a GPU, and only it")
    arguments = parser.parse_args(argv)
    names = ON_GPU if arguments.gpu else USUAL
    if arguments.only:
        names = [one for name in arguments.only.split(",") for one in named(name.strip())]
    settings = read_settings(arguments)
    # Saved one by one: what was measured stays if a later run fails.
    for name in [*names, "quality"] if arguments.quality else names:
        with tempfile.TemporaryDirectory() as folder:
            rows = measure(WORKLOADS[name], settings, Path(folder))
        save_report(arguments.output, rows)


if __name__ == "__main__":
    run_command(main)

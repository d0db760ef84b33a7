"""Run all checks of a GPU, and write what they measured to one report: `make test-gpu`.

    python -m tools.check_gpu --report gpu-report.md

Each file of tests/gpu runs in a process of its own: an error of CUDA can make everything fail that
follows in its process. The report is written after each file, so that it is there whatever happens.
With `--device cpu` the same tests run on the processor, with a tiny model.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from tools.doc_pages import markdown_table
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text

PROJECT = Path(__file__).resolve().parents[1]
# of a file of tests; all of them together should take 20 minutes
SECONDS = 1200
# of the output of a process that ended before its tests did
LAST_LINES = 15


class Check(NamedTuple):
    """A test: how it ended, what it measured as (name, text), and why it failed or was skipped."""

    file: str
    name: str
    outcome: str
    seconds: float
    figures: list[tuple[str, str]]
    reason: str = ""


def run_file(file: Path, device: str) -> list[Check]:
    """Run the tests of a file; a process that ends before they do is a failed check."""
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results.xml"
        words = [sys.executable, "-m", "pytest", "-n", "0", "-m", "gpu"]
        # the newer form of results has no properties
        words += ["-o", "junit_family=xunit1", f"--junitxml={results}"]
        environment = {**os.environ, "TEST_DEVICE": device}
        output, ending = "", ""
        try:
            done = subprocess.run(
                [*words, str(file)],
                cwd=PROJECT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=SECONDS,
            )
            output, ending = done.stdout, f"ended with status {done.returncode}"
        except subprocess.TimeoutExpired as error:
            # bytes, whatever `text` is
            output = (error.stdout or b"").decode(errors="replace")
            ending = f"not over after {SECONDS} s"
        print(output, end="", flush=True)
        if results.is_file():
            return read_results(results, file.name)
    reason = "\n".join([ending, *output.splitlines()[-LAST_LINES:]])
    return [Check(file.name, "the process of its tests", "failed", 0.0, [], reason)]


def read_results(results: Path, file: str) -> list[Check]:
    """Return the tests of a file of results as pytest writes it (JUnit's XML)."""
    checks = []
    for case in ElementTree.parse(results).iter("testcase"):
        outcome, reason = "passed", ""
        for tag, ending in (("skipped", "skipped"), ("failure", "failed"), ("error", "failed")):
            if (part := case.find(tag)) is not None:
                outcome = ending
                reason = (part.get("message") if tag == "skipped" else part.text) or ""
        figures = [
            (entry.get("name", ""), entry.get("value", "")) for entry in case.iter("property")
        ]
        name = case.get("name", "").removeprefix("test_").replace("_", " ")
        seconds = float(case.get("time", 0))
        checks.append(Check(file, name, outcome, seconds, figures, reason))
    return checks


def write_report(checks: Sequence[Check], device: str) -> str:
    """Return the report: the counts, a row for each check, and why checks failed."""
    counts = Counter(check.outcome for check in checks)
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=PROJECT, capture_output=True, text=True
    )
    rows = []
    for check in checks:
        figures = "<br>".join(f"{name}: {text}" for name, text in check.figures)
        outcome = f"**{check.outcome}**" if check.outcome == "failed" else check.outcome
        if check.outcome == "skipped":
            outcome += f" ({check.reason})"
        rows.append((f"{check.file}: {check.name}", outcome, figures, f"{check.seconds:.1f}"))
    lines = [
        f"# Checks of device {device}",
        "",
        f"Commit {commit.stdout.strip() or 'unknown'}; "
        + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))
        + f"; {sum(check.seconds for check in checks):.0f} s.",
        "",
        *markdown_table(("check", "result", "figures and bounds", "seconds"), rows, numbers=1),
    ]
    for check in checks:
        if check.outcome == "failed":
            lines += ["", f"## {check.file}: {check.name}", "", "```", check.reason.strip(), "```"]
    return "\n".join([*lines, ""])


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--report", required=True, type=Path, help="file to write, .md")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    files = sorted((PROJECT / "tests" / "gpu").glob("test_*.py"))
    help_text = "files of tests (all of tests/gpu)"
    parser.add_argument("--tests", nargs="+", type=Path, default=files, help=help_text)
    arguments = parser.parse_args(argv)
    if arguments.device == "cuda":
        # Only now: it takes seconds.
        import torch

        if not torch.cuda.is_available():
            remedy = "run it where there is one, or --device cpu for the same tests without"
            raise UserError("--device cuda", "no CUDA device here", remedy)
    checks: list[Check] = []
    for file in arguments.tests:
        print(f"{file.name}:", file=sys.stderr, flush=True)
        checks += run_file(file, arguments.device)
        write_text(arguments.report, write_report(checks, arguments.device))
    failures = sum(check.outcome == "failed" for check in checks)
    if failures or not checks:
        problem = f"{failures} of {len(checks)} checks failed"
        raise UserError(str(arguments.report), problem, "send this file to the maintainers")
    print(f"{arguments.report}: all {len(checks)} checks passed or skipped", file=sys.stderr)


if __name__ == "__main__":
    run_command(main)

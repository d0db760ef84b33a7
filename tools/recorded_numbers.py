"""Fill the numbers of README and docs/ from recorded runs, so that no page has a stale one.

A page marks a number with comments, which a rendered page does not show:

    it plans <!--=default/jobs-->669<!--/--> jobs

`make numbers` records what the pages name in docs/recorded-runs.tsv, from a folder with the results
of the default config and from dry runs, and fills the pages; `make docs` only fills them. Names:

    default/jobs, default/jobs/RULE         what Snakemake plans from an empty folder; paper/... is
                                            config/paper.yaml, with the data that anyone can fetch
    default/seconds, default/minutes        from the start of the first job to the end of the last
    default/processor_seconds[/RULE]        of all jobs, or of those of a rule
    default/megabytes, default/gigabytes    of the results folder (1e6 and 1e9 bytes)
    default/machine, default/commit         of all jobs
    default/TABLE/ROW/COLUMN[/FIELD]        a cell, by the ids of the config; fields are those of
                                            tables/cells/TABLE.tsv (difference, low, high, p_value,
                                            ...): the mean without one
    example/TABLE/ROW/COLUMN[/FIELD]        a cell of docs/example-run, by its labels in small
                                            letters: bert-mp, mirror-to-bert-mp; fields: difference
                                            and published
    measured/...                            a line that somebody adds to the record, with its source

Digits follow a colon: `default/minutes:0`, `default/table03/bert-mirror/stsb:3`; `:+3` has a sign,
and `:%3` makes a fraction of a percentage. A count, time, size or score that no run gives, such as
a limit, follows `<!--fixed-->`; whole pages of such numbers are in BY_HAND.
"""

import argparse
import re
from collections.abc import Mapping
from pathlib import Path

from tools.doc_pages import blanked, docs_pages, line_of
from tools.run_numbers import Record, Recorded, recorded_anew
from workflow_scripts.command_main import run_command
from workflow_scripts.delimited import Layout, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_text, write_text
from workflow_scripts.tables.numbers import format_difference, format_number

RECORD = "docs/recorded-runs.tsv"
FIELDS = ("name", "value", "source")
# NAME is the placeholder of examples in code
MARK = re.compile(
    r"<!--=(?P<name>(?!NAME\b)[^\s:<>]+)(?::(?P<form>%?\+?\d))?-->(?P<text>[^\n]*?)<!--/-->"
)
# pages whose numbers are not checked: what a tool wrote, the history, and measurements that stand
# with their machine and command and come from no results folder
BY_HAND = {
    "docs/example-run/README.md": "measured, with commit, seeds, machine and data",
    "docs/explanation/decisions.md": "measured when the choice was made",
    "docs/explanation/fidelity.md": "measured, with versions and seeds",
    "docs/explanation/performance.md": "made by make bench",
    "docs/howto/extend-the-tables.md": "compared with a run by a test",
    "docs/howto/other-tools.md": "measured by benchmarks.trainer_scores",
    "docs/howto/run-on-a-cluster.md": "measured on a cluster, or a request to one",
    "docs/reference/config.md": "made by make docs",
    "docs/reference/data-sets.md": "sizes of downloads",
    "docs/reference/gpu-rehearsal.md": "made by make rehearse-gpu",
    "docs/tutorials/first-table.md": "compared with a run by a test",
    "docs/tutorials/reproduce-a-paper.md": "sizes of downloads, counts of published cells",
}
_UNITS = r"jobs?|tunings?|encoders|cells|(?:processor )?seconds?|s|ms|minutes?|min|hours?|[kMG]i?B"
# a count, a time or a size; or a score
_NUMBER = (
    rf"(?:(?<![\w.,-])\d[\d,.]*(?:(?:,| to| and| or) \d[\d,.]*)*[ -](?:{_UNITS})\b"
    r"|(?<![\w.-])(?<!< )[-+−]?0?\.\d{2,4}(?![\w.]))"
)
_OF_A_RUN = re.compile(_NUMBER)
_FIXED = re.compile(f"<!--fixed-->{_NUMBER}")
_CODE = re.compile(r"^```.*?^```[^\n]*$|^    [^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def pages(root: Path) -> list[Path]:
    """Return the pages whose numbers are filled: README, CONTRIBUTING, and those of docs/."""
    return [root / "README.md", root / "CONTRIBUTING.md", *docs_pages(root)]


def read_record(file: Path) -> Record:
    rows = read_rows(file, Layout(FIELDS, unique=["name"]))
    return {name: Recorded(value, source) for _, (name, value, source) in rows}


def write_record(file: Path, record: Mapping[str, Recorded]) -> None:
    lines = [FIELDS, *((name, *record[name]) for name in sorted(record))]
    write_text(file, "".join("\t".join(line) + "\n" for line in lines))


def shown(value: str, form: str | None) -> str:
    """Return a value as a page shows it: whole numbers as 1,330, others with the digits asked."""
    if form is not None:
        as_text = format_difference if "+" in form else format_number
        number = float(value) / 100 if form.startswith("%") else float(value)
        text = as_text(number, int(form[-1]))
        return f"{int(text):,}" if re.fullmatch(r"\d+", text) else text
    return f"{int(value):,}" if re.fullmatch(r"\d+", value) else value


def names_in(text: str) -> set[str]:
    return {match["name"] for match in MARK.finditer(text)}


def filled(text: str, record: Mapping[str, Recorded], page: str) -> str:
    """Return the text of a page with its marked numbers from the record.

    Raises `UserError`, with page and line, for a name that is not recorded, and for a mark that
    would show or break its line: in code, or where a line begins.
    """
    without_code = blanked(_CODE, text)
    for begun in re.finditer("<!--=(?!NAME)", text):
        if not MARK.match(text, begun.start()):
            where = f"{page}:{line_of(text, begun.start())}"
            remedy = "write <!--=NAME-->0<!--/--> on one line, or <!--=NAME:DIGITS-->0<!--/-->"
            raise UserError(where, "a mark that is not complete", remedy)
    for match in MARK.finditer(text):
        where = f"{page}:{line_of(text, match.start())}"
        if without_code[match.start()] == " ":
            raise UserError(where, "a mark in code would show", "move the number out of the code")
        line_start = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if re.fullmatch(r"\s*([-*+>]|\d+\.)?\s*", line_start):
            remedy = "put a word before the number"
            raise UserError(where, "a line that begins with a mark is not Markdown", remedy)
        if match["name"] not in record:
            remedy = "`make numbers` records it; tools/recorded_numbers.py lists the names"
            raise UserError(where, f"no number {match['name']!r} is recorded", remedy)

    def with_value(match: re.Match[str]) -> str:
        value = shown(record[match["name"]].value, match["form"])
        end = match.start("text") - match.start()
        return f"{match[0][:end]}{value}<!--/-->"

    return MARK.sub(with_value, text)


def unfilled(text: str) -> list[tuple[int, str]]:
    """Return (line, number) of counts, times, sizes and scores that no mark fills."""
    for pattern in (_CODE, MARK, _FIXED, re.compile(r"\]\([^)]*\)")):
        text = blanked(pattern, text)
    return [(line_of(text, match.start()), match[0]) for match in _OF_A_RUN.finditer(text)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    text = "record the numbers of this folder first: results of the default config"
    parser.add_argument("--results", type=Path, help=text)
    results = parser.parse_args().results
    texts = {page: read_text(page) for page in pages(Path())}
    names = set().union(*map(names_in, texts.values()))
    record = read_record(Path(RECORD)) if Path(RECORD).is_file() else {}
    if results is not None:
        record = recorded_anew(names, record, results)
    new_texts = {page: filled(text, record, str(page)) for page, text in texts.items()}
    write_record(Path(RECORD), {name: record[name] for name in names})
    for page, text in new_texts.items():
        if text != texts[page]:
            write_text(page, text)
            print(f"filled {page}")


if __name__ == "__main__":
    run_command(main)

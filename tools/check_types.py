"""Check types with mypy: no package may have more findings than `type_findings.tsv` records.

    python -m tools.check_types            what `make check` runs
    python -m tools.check_types --update   record the findings of today

A package that the file does not list has no findings. Modules next to the packages count as
packages of their own.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from mypy import api

RECORD = Path(__file__).with_name("type_findings.tsv")
UPDATE = "python -m tools.check_types --update"
_FINDING = re.compile(r"[\w.-]+/(?P<package>\w+)[^:]*(:\d+)?: error: ")


def package_of(line: str) -> str | None:
    """Return the package of a line that mypy printed, None where the line is no finding."""
    match = _FINDING.match(line)
    return match["package"] if match else None


def read_record(path: Path) -> dict[str, int]:
    """Return the recorded number of findings by package."""
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {package: int(count) for package, count in rows}


def write_record(path: Path, counts: Mapping[str, int]) -> None:
    lines = (f"{package}\t{count}\n" for package, count in sorted(counts.items()))
    path.write_text("".join(lines), encoding="utf-8")


def compare(recorded: Mapping[str, int], counts: Mapping[str, int]) -> tuple[list[str], list[str]]:
    """Return the packages that have more findings than recorded, and those that have fewer."""
    packages = sorted({*recorded, *counts})
    changes = {name: counts.get(name, 0) - recorded.get(name, 0) for name in packages}
    more = [name for name in packages if changes[name] > 0]
    return more, [name for name in packages if changes[name] < 0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="record the findings of today")
    arguments = parser.parse_args()
    output, errors, status = api.run([])
    if errors or status not in (0, 1):
        sys.exit(f"error: mypy failed\n{output}{errors}")
    lines = output.splitlines()
    counts = Counter(package for line in lines if (package := package_of(line)))
    if arguments.update:
        write_record(RECORD, counts)
        return
    recorded = read_record(RECORD)
    more, fewer = compare(recorded, counts)
    for name in fewer:
        print(f"types: {name} has {counts[name]} findings, {recorded[name]} recorded: {UPDATE}")
    for name in more:
        print(*(line for line in lines if package_of(line) == name), sep="\n")
        print(f"error: types: {name} has {counts[name]} findings, {recorded.get(name, 0)} allowed")
    if more:
        sys.exit(1)
    print(f"types: {counts.total()} findings, no package has more than recorded")


if __name__ == "__main__":
    main()

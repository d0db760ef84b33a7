"""Scores on the card of an encoder. Standard library only."""

import re
from collections.abc import Iterable
from typing import Any

_HEADING = "## Scores"
_HEADER = "| data set | metric | value | n |\n| --- | --- | --: | --: |"
_ROW = re.compile(r"\| (\S+) \| (\S+) \| [-.\d]+ \| \d+ \|")


def add_scores(card: str, rows: Iterable[dict[str, Any]]) -> str:
    """Return the text of a card with a table of scores (dataset, metric, value, n) at its end.

    Scores that it already has are replaced where of the same data set and metric, else kept.
    """
    body, _, before = card.partition(f"\n{_HEADING}\n")
    lines = {match.groups(): match[0] for match in _ROW.finditer(before)}
    for row in rows:
        key = (row["dataset"], row["metric"])
        lines[key] = f"| {key[0]} | {key[1]} | {row['value']:.4f} | {row['n']} |"
    table = "\n".join([_HEADER, *lines.values()])
    return (
        f"{body.rstrip()}\n\n{_HEADING}\n\nBy `workflow_scripts.evaluate`; Spearman's rho and "
        f"accuracy as fractions.\n\n{table}\n"
    )

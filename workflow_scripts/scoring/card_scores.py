"""Scores on the card of an encoder: a table for readers, the `model-index` for the hub."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workflow_scripts.embedding.card_metadata import add_results

_HEADING = "## Scores"
_HEADER = "| data set | metric | value | n |\n| --- | --- | --: | --: |"
_ROW = re.compile(r"\| (\S+) \| (\S+) \| [-.\d]+ \| \d+ \|")


def add_scores(
    card: str, rows: Sequence[dict[str, Any]], tasks: Mapping[str, str] | None = None
) -> str:
    """Return the text of a card with a table of scores (dataset, metric, value, n) at its end.

    Its front matter, if it has one, has them too, by the `tasks` of the data sets. Scores that it
    already has are replaced where of the same data set and metric, else kept.
    """
    card = add_results(card, rows, tasks or {})
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

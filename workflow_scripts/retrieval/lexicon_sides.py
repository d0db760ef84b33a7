"""The two sides of a lexicon dataset, each in the items of its language's suite."""

from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import check_distinct, field, read_datasets


def read_side(items: str | Path, dataset: str) -> dict[str, Any]:
    """Return a dataset's block of an items.json; `UserError` if it is not there."""
    datasets = read_datasets(items)
    if dataset not in datasets:
        raise UserError(
            f"{items}: no dataset {dataset!r}; it holds {', '.join(datasets)}: "
            "add it to the suite of this language in the config"
        )
    return datasets[dataset]


def check_sides(source: dict[str, Any], target: dict[str, Any], dataset: str) -> None:
    """Raise `UserError` unless these are the two sides of one lexicon with aligned pairs."""
    for entry, side in ((source, "source"), (target, "target")):
        if entry["task"] != "lexicon-side" or entry.get("side") != side:
            raise UserError(
                f"dataset {dataset}: the {side} items do not hold its {side} side; "
                "give the items of the suite of that language"
            )
        check_distinct(field(entry, "vocabulary", dataset), f"the {side} vocabulary", dataset)
    for part in ("train", "test"):
        lengths = [len(field(entry, part, dataset)) for entry in (source, target)]
        if lengths[0] != lengths[1]:
            raise UserError(
                f"dataset {dataset}: {lengths[0]} source and {lengths[1]} target words in "
                f"{part!r}; the suites were read at different times: remake both with read_suite"
            )
    if not source["test"]:
        raise UserError(f"dataset {dataset}: no test pairs; check the files that it is read from")


def distinct(strings: list[int]) -> list[int]:
    """Return the strings without repetitions, in order of first occurrence."""
    return list(dict.fromkeys(strings))

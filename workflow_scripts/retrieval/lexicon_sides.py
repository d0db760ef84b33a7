"""The two sides of a lexicon dataset: each in the items of its language's suite, or both in one."""

from pathlib import Path
from typing import Any

from workflow_scripts.errors import UserError
from workflow_scripts.retrieval.suite_files import check_distinct, field, read_datasets

SIDES = ("source", "target")


def side_of(entry: dict[str, Any], side: str) -> dict[str, Any]:
    """Return one side ("source", "target") of a lexicon whose words are all in one suite."""
    column = SIDES.index(side)
    return {
        "task": "lexicon-side",
        "side": side,
        "split": entry["split"],
        "dropped": entry["dropped"],
        "vocabulary": entry[f"{side}_vocabulary"],
        "train": [pair[column] for pair in entry["train"]],
        "test": [pair[column] for pair in entry["test"]],
    }


def read_side(items: str | Path, dataset: str, side: str) -> dict[str, Any]:
    """Return one side ("source", "target") of a lexicon from an items.json.

    The suite holds that side alone, or all words of the lexicon. Raises `UserError` if the dataset
    is not there.
    """
    datasets = read_datasets(items)
    if dataset not in datasets:
        raise UserError(
            f"{items}: no dataset {dataset!r}; it holds {', '.join(datasets)}: "
            "add it to the suite of this language in the config"
        )
    entry = datasets[dataset]
    return side_of(entry, side) if entry["task"] == "lexicon" else entry


def check_sides(source: dict[str, Any], target: dict[str, Any], dataset: str) -> None:
    """Raise `UserError` unless these are the two sides of one lexicon with aligned pairs."""
    for entry, side in zip((source, target), SIDES, strict=True):
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

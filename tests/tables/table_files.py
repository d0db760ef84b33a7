"""Scores, and the parts and cells of a table's block."""

from typing import Any

from workflow_scripts.scoring.tidy_scores import Score


def make_score(dataset: str, value: float, seed: int = 33, **changes: Any) -> Score:
    """Return a score of a dataset; `changes` are other fields."""
    known: dict[str, Any] = {
        "model": "m",
        "recipe": "r",
        "corpus": "c",
        "seed": seed,
        "dataset": dataset,
        "split": "test",
        "metric": "spearman",
        "value": value,
        "low": None,
        "high": None,
        "n": 100,
        "coverage": 1.0,
        "dropped": {},
    }
    return Score(**(known | changes))


def part(dataset: str, *scores: str, metric: str = "spearman") -> dict[str, Any]:
    """Return a part of a cell as a table's block has it."""
    return {"dataset": dataset, "metric": metric, "scores": list(scores)}


def cell(*parts: dict[str, Any], departures: tuple[str, ...] = (), tolerance: float = 0.01) -> Any:
    """Return a cell that runs as a table's block has it."""
    return {"parts": list(parts), "departures": list(departures), "tolerance": tolerance}

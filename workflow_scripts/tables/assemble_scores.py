"""Put the tidy scores of all tables into one file, sorted."""

import argparse
from collections.abc import Iterable
from pathlib import Path

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.scoring.tidy_scores import Score, read_scores, write_scores


def _key(score: Score) -> tuple[str, str, str, int, str, str, str]:
    return (
        score.model,
        score.recipe,
        score.corpus,
        score.seed,
        score.dataset,
        score.split,
        score.metric,
    )


def merge_scores(files: Iterable[tuple[str, list[Score]]]) -> list[Score]:
    """Return the scores of (path, scores) sorted by encoder, dataset, split and metric.

    A score that occurs again, equal in all, is kept once: a dataset may be in two suites.

    Raises `UserError` naming both files where two scores of the same metric differ.
    """
    merged: dict[tuple[str, str, str, int, str, str, str], tuple[str, Score]] = {}
    for path, scores in files:
        for score in scores:
            first, known = merged.setdefault(_key(score), (path, score))
            if known != score:
                raise UserError(
                    f"{path}: {score.metric} of dataset `{score.dataset}` differs from that of the "
                    f"same encoder in {first}; delete both files and run the workflow again"
                )
    return [merged[key][1] for key in sorted(merged)]


def main(argv: list[str] | None = None) -> None:
    """Read tidy scores and write them as one file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", nargs="*", default=[], help="tidy scores, tsv")
    parser.add_argument("--output", type=Path, required=True, help="all scores, tsv")
    arguments = parser.parse_args(argv)
    write_scores(arguments.output, merge_scores((p, read_scores(p)) for p in arguments.scores))


if __name__ == "__main__":
    run_command(main)

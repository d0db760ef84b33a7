"""Put the tidy scores of all tables into one file, sorted."""

from collections.abc import Iterable

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.scoring.tidy_scores import Score, read_scores, write_scores
from workflow_scripts.tables.arguments import read_arguments

KEYS = ("model", "recipe", "corpus", "seed", "dataset", "split", "metric")


def merge_scores(paths: Iterable[str]) -> list[Score]:
    """Return the scores of files, sorted; equal ones of two files once."""
    merged: dict[tuple[str | int, ...], tuple[str, Score]] = {}
    for path in paths:
        for score in read_scores(path):
            key = tuple(getattr(score, name) for name in KEYS)
            first, known = merged.setdefault(key, (path, score))
            if known != score:
                raise UserError(
                    path,
                    f"{score.metric} of dataset `{score.dataset}` differs from that of the same "
                    f"encoder in {first}",
                    "delete both files and run the workflow again",
                )
    return [merged[key][1] for key in sorted(merged)]


def main(argv: list[str] | None = None) -> None:
    paths, arguments = read_arguments(argv, __doc__, "output")
    write_scores(arguments.output, merge_scores(paths))


if __name__ == "__main__":
    run_command(main)

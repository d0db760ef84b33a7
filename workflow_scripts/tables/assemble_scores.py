"""Put the tidy scores of all tables into one file, sorted."""

from collections.abc import Iterable
from pathlib import Path

from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json
from workflow_scripts.path_functions import command
from workflow_scripts.scoring.tidy_scores import Score, read_scores, write_scores

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


def assemble_scores(*, block: Path, output: Path) -> None:
    """Put the tidy scores of all tables into one file, sorted.

    Args:
        block: the files of scores, json
        output: path of the output
    """
    write_scores(output, merge_scores(read_json(block)))


main = command(assemble_scores)

if __name__ == "__main__":
    run_command(main)

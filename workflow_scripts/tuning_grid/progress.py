"""The progress file of a slice: a job that was killed goes on where it was.

JSON lines: the digest of all that the scores depend on, then a score a line as they come. A file
of another digest (other settings, model, corpus, data, code or versions) is not used.
"""

import json
from pathlib import Path

from workflow_scripts.files import read_bytes, write_text
from workflow_scripts.tuning_grid.slice_scores import CellScore, as_json, from_json


class Progress:
    """The finished scores of a slice, in memory and in a file."""

    def __init__(self, path: str | Path, digest: str) -> None:
        self._path = Path(path)
        self._scores: dict[tuple[int | None, int], CellScore] = {}
        scores = _read_scores(self._path, digest)
        lines = [json.dumps({"digest": digest}), *map(as_json, scores)]
        write_text(self._path, "".join(line + "\n" for line in lines))
        for score in scores:
            self._scores[score.cell, score.seed] = score

    def get(self, cell: int | None, seed: int) -> CellScore | None:
        """Return the score of a cell and seed, None if it is yet to be made."""
        return self._scores.get((cell, seed))

    def add(self, score: CellScore) -> None:
        """Keep a score; it is in the file when this returns."""
        self._scores[score.cell, score.seed] = score
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(as_json(score) + "\n")

    def __len__(self) -> int:
        return len(self._scores)

    def remove(self) -> None:
        """Remove the file, once the slice is written."""
        self._path.unlink(missing_ok=True)


def _read_scores(path: Path, digest: str) -> list[CellScore]:
    """Return the scores of a file with this digest, up to the line that a kill cut off."""
    if not path.is_file():
        return []
    first, *lines = read_bytes(path).decode("utf-8", errors="replace").split("\n")
    if first != json.dumps({"digest": digest}):
        return []
    scores = []
    for line in lines[:-1]:
        try:
            scores.append(from_json(line))
        except ValueError:
            break
    return scores

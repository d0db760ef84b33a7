"""The progress file of a slice: a job that was killed continues where it was.

JSON lines: the digest of all that the scores depend on, then a score a line as they come. A file
of another digest is not used.
"""

import json
import sys
from pathlib import Path

from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import append_to, read_bytes, write_text
from workflow_scripts.tuning_grid.cells import CellScore


class Progress:
    """The finished scores of a slice by (cell, seed), in memory (`scores`) and in a file."""

    def __init__(self, path: Path, digest: str) -> None:
        self.path = path
        scores, head = [], _line({"digest": digest})
        if path.is_file():
            first, *lines = read_bytes(path).decode("utf-8", errors="replace").split("\n")
            # a kill may have cut off the last line
            whole = lines[:-1] if first + "\n" == head else []
            with damaged_file_error(path):
                scores = [CellScore(**json.loads(line)) for line in whole]
        self.scores = {(score.cell, score.seed): score for score in scores}
        write_text(path, head + "".join(_line(vars(score)) for score in scores))

    def add(self, what: str, score: CellScore) -> None:
        """Keep a score and tell it; it is in the file when this returns."""
        self.scores[score.cell, score.seed] = score
        with append_to(self.path) as stream:
            stream.write(_line(vars(score)))
        result = score.reason if score.value is None else f"{score.value:.4f}"
        print(f"{what}, seed {score.seed}: {result}", file=sys.stderr, flush=True)


def _line(content: object) -> str:
    return json.dumps(content, sort_keys=True) + "\n"

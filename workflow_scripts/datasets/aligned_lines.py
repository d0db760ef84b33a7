"""Files of which line i of one belongs to line i of the others."""

from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines


def read_aligned_lines(paths: list[Path]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, that line of each file); `UserError` where the lengths differ."""
    files = [read_lines(path) for path in paths]
    for path, lines in zip(paths[1:], files[1:], strict=True):
        if len(lines) != len(files[0]):
            raise UserError(
                f"{paths[0]} has {len(files[0])} lines but {path} has {len(lines)}; "
                "line i of one must belong to line i of the other: fetch the files again"
            )
    for line, texts in enumerate(zip(*files, strict=True), start=1):
        yield line, list(texts)

"""Reading the folder that `prepare_text` writes."""

from pathlib import Path

from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines


def read_prepared(folder: Path, part: str) -> dict[str, list[str]]:
    """Return the sentences of `part` (`train` or `validation`) per language, languages sorted.

    Raises `UserError` if the folder holds no text.
    """
    paths = sorted((Path(folder) / part).glob("*.txt"))
    text = {path.stem: lines for path in paths if (lines := read_lines(path))}
    if not text:
        raise UserError(f"{folder}: no {part}/*.txt with text; make the folder with prepare_text")
    return text

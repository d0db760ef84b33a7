"""Reviews in the XML of Prettenhofer and Stein (2010): `<item>` with `<text>`, `<rating>`, ..."""

import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from workflow_scripts.delimited import malformed
from workflow_scripts.files import read_text


def read_review_items(path: Path, fields: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (line of the item, texts of its elements `fields`), with "" for an empty element.

    Raises `UserError`, with the line, for a file that is not XML or an item without an element.
    """
    text = read_text(path)
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        what = f"not valid XML ({str(error).partition(':')[0]})"
        raise malformed(path, error.position[0], what) from error
    starts = (match.start() for match in re.finditer(r"<item[\s>]", text))
    position, line = 0, 1
    for item, start in zip(root.iter("item"), starts, strict=False):
        line, position = line + text.count("\n", position, start), start
        elements = [item.find(field) for field in fields]
        if None in elements:
            raise malformed(path, line, f"the item has no <{fields[elements.index(None)]}>")
        yield (
            line,
            ["" if element is None else (element.text or "").strip() for element in elements],
        )

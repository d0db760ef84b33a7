"""NCBI disease and BC5CDR in PubTator form, linked to MEDIC or MeSH names.

A document is `id|t|title`, `id|a|abstract`, then its mentions: document, start, end, mention,
type, concept ids, and in BC5CDR on some composite mentions a seventh column with the mentions
that the composite stands for (`vision loss|hearing loss`), joined by `|`. Documents are
separated by blank lines; a line of four columns is a relation, which linking does not need.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

OPTIONS = {
    "path": Option((str,)),
    # Read mentions of one type only, such as Disease or Chemical in BC5CDR.
    "mention_type": Option((str,), None),
    **linking_options(None),
}
_TEXT = re.compile(r"\d+\|[ta]\|")


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the corpus file and the dictionary."""
    return [root / options["path"], *dictionary_paths(root, options)]


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the mentions of a file over a dictionary.

    A composite mention has the parts of its seventh column and is otherwise one part; for the ids
    that a part may find see `composite_gold` in the entity linking module. A document that occurs
    twice (one in NCBI's training file) counts twice. Raises `UserError` for a line that is none
    of the above.
    """
    path = root / options["path"]
    queries = Queries(options)
    for line, text in enumerate(read_lines(path), start=1):
        if not text.strip() or _TEXT.match(text):
            continue
        fields = text.split("\t")
        if len(fields) == 4 and fields[0].isdigit():
            continue
        if len(fields) not in (6, 7) or not all(number.isdigit() for number in fields[:3]):
            raise UserError(
                f"{path}:{line}: expected a title, an abstract, a relation or a mention (document, "
                f"start, end, mention, type, concept ids), found {len(fields)} columns; "
                "mend or remove the line"
            )
        mention, kind, ids = fields[3:6]
        if options["mention_type"] not in (None, kind):
            continue
        require_strings([mention], "a mention", path, line)
        parts = [part for part in "".join(fields[6:]).split("|") if part.strip()]
        queries.add(mention, ids, parts)
    return queries.with_dictionary(root)

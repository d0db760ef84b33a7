"""NCBI disease and BC5CDR in PubTator form, linked to MEDIC or MeSH names.

A document is `id|t|title`, `id|a|abstract`, then its mentions: document, start, end, mention,
type, concept ids, and in BC5CDR on some composite mentions a seventh column with the mentions
that the composite stands for (`vision loss|hearing loss`), joined by `|`. Documents are
separated by blank lines; a line of four columns is a relation, which linking does not need.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.dictionaries import split_concept_ids
from workflow_scripts.datasets.entity_linking import Queries, dictionary_paths, linking_options
from workflow_scripts.datasets.items import LinkingSet, require_strings
from workflow_scripts.datasets.options import Option
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_lines

OPTIONS = {
    "path": Option((str,)),
    # Read mentions of one type only, such as Disease or Chemical in BC5CDR.
    "mention_type": Option((str,), None),
    # Files of the same form whose mentions become names of the dictionary, as in the dictionaries
    # that SapBERT's authors give out for the test sets (training and development mentions). To the
    # 75,969 names of MEDIC, NCBI's two files add 1,530 and BC5CDR's diseases 1,472.
    "training_mentions": Option((list,), []),
    **linking_options(None),
}
_TEXT = re.compile(r"\d+\|[ta]\|")


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the corpus file, the dictionary and the files of training mentions."""
    return [root / options["path"], *dictionary_paths(root, options), *_training(root, options)]


def _training(root: Path, options: Mapping[str, Any]) -> list[Path]:
    return [root / path for path in options["training_mentions"]]


def _read_mentions(path: Path, mention_type: str | None) -> Iterator[tuple[str, str, list[str]]]:
    """Yield (mention, concept ids as written, parts of a composite) of a file."""
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
        if mention_type not in (None, kind):
            continue
        require_strings([mention], "a mention", path, line)
        yield mention, ids, [part for part in "".join(fields[6:]).split("|") if part.strip()]


def read(root: Path, options: Mapping[str, Any]) -> LinkingSet:
    """Return the mentions of a file over a dictionary.

    A composite mention has the parts of its seventh column and is otherwise one part; for the ids
    that a part may find see `composite_gold` in the entity linking module. A document that occurs
    twice (one in NCBI's training file) counts twice. A training mention is a name with all of its
    ids, a composite one as it stands; one without a concept is left out. Raises `UserError` for a
    line that is none of the above.
    """
    kind = options["mention_type"]
    queries = Queries(options)
    for mention, ids, parts in _read_mentions(root / options["path"], kind):
        queries.add(mention, ids, parts)
    names = (
        (mention, found)
        for path in _training(root, options)
        for mention, ids, _ in _read_mentions(path, kind)
        if (found := split_concept_ids(ids))
    )
    return queries.with_dictionary(root, names)

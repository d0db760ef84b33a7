"""NCBI disease and BC5CDR in PubTator form, linked to MEDIC or MeSH names.

A document is `id|t|title`, `id|a|abstract`, then its mentions: document, start, end, mention,
type, concept ids, and of some composite mentions a seventh column with what they stand for
(`vision loss|hearing loss`). A line of four columns is a relation, which is not needed.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.dictionaries import DictionaryFormat
from workflow_scripts.datasets.entity_linking import LinkingEntry, Mention, linking_set
from workflow_scripts.datasets.entry import paths_of
from workflow_scripts.datasets.items import LinkingSet
from workflow_scripts.datasets.rows import malformed
from workflow_scripts.files import read_lines

ITEMS = LinkingSet
_TEXT = re.compile(r"\d+\|[ta]\|")


class Entry(LinkingEntry):
    path: Text = Field(description="The file.")
    mention_type: Text | None = Field(None, description="Mentions of one type only, as Disease.")
    training_mentions: list[Text] = Field(
        [],
        description="Files of the same form whose mentions become names of the dictionary, as in "
        "the dictionaries that SapBERT's authors give out (training and development mentions). To "
        "the 75,969 names of MEDIC, NCBI's two files add 1,530 and BC5CDR's diseases 1,472.",
    )
    dictionary_format: DictionaryFormat = Field(description="Form of the dictionary.")


def list_files(root: Path, entry: Entry) -> list[Path]:
    training = paths_of(root, entry.training_mentions)
    return [root / entry.path, *entry.dictionary_paths(root), *training]


def _mentions(path: Path, mention_type: str | None) -> Iterator[Mention]:
    for line, text in enumerate(read_lines(path), start=1):
        if not text.strip() or _TEXT.match(text):
            continue
        fields = text.split("\t")
        if len(fields) == 4 and fields[0].isdigit():
            continue
        if len(fields) not in (6, 7) or not all(number.isdigit() for number in fields[:3]):
            what = "expected a title, an abstract, a relation or a mention (document, start, end, "
            what += f"mention, type, concept ids), found {len(fields)} columns"
            raise malformed(path, line, what)
        mention, kind, ids = fields[3:6]
        if mention_type not in (None, kind):
            continue
        parts = [part for part in "".join(fields[6:]).split("|") if part.strip()]
        yield Mention(path, line, mention, ids, parts)


def read(root: Path, entry: Entry) -> LinkingSet:
    """Return the mentions of a file over a dictionary.

    A document that occurs twice (one in NCBI's training file) counts twice. A training mention is
    a name with all of its ids, a composite one as it stands; one without a concept is left out.
    """
    kind = entry.mention_type
    files = paths_of(root, entry.training_mentions)
    names = (mention for path in files for mention in _mentions(path, kind))
    return linking_set(root, entry, _mentions(root / entry.path, kind), names)

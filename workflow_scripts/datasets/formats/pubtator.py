"""NCBI disease and BC5CDR in PubTator form, linked to MEDIC or MeSH names.

A document is `id|t|title`, `id|a|abstract`, then its mentions: document, start, end, mention,
type, concept ids, and of some composite mentions a seventh column with what they stand for
(`vision loss|hearing loss`). A line of four columns is a relation, which is not needed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from workflow_scripts.configuration.blocks import Field, Text
from workflow_scripts.datasets.biosyn_preprocessing import clean, prepare, read_typos
from workflow_scripts.datasets.dictionaries import DictionaryFormat
from workflow_scripts.datasets.entity_linking import LinkingEntry, Mention, linking_set
from workflow_scripts.datasets.entry import paths_of
from workflow_scripts.datasets.items import LinkingSet
from workflow_scripts.delimited import malformed
from workflow_scripts.files import read_lines

_TEXT = re.compile(r"\d+\|[ta]\|")


class Entry(LinkingEntry):
    path: Text = Field(description="The file.")
    mention_type: Text | None = Field(
        None, description="Mentions of one type only, such as Disease."
    )
    training_mentions: list[Text] = Field(
        [],
        description="Files of the same form whose mentions become names of the dictionary, as in "
        "the dictionaries that SapBERT's authors release (training and development mentions). To "
        "the 75,969 names of MEDIC, NCBI's two files add 1,530 and BC5CDR's diseases 1,472.",
    )
    dictionary_format: DictionaryFormat = Field(description="Form of the dictionary.")
    preprocessing: Literal["none", "biosyn"] = Field(
        "none",
        description=(
            "Mentions and names unchanged, or as BioSyn prepares them: abbreviations expanded, "
            "composites split, punctuation removed, and mentions left out if the dictionary "
            "lacks their concepts. The published values use the latter."
        ),
    )
    typos: Text | None = Field(
        None,
        description="For `biosyn`: file of `wrong||right` lines, words to replace in mentions.",
    )

    def list_files(self, root: Path) -> list[Path]:
        training = paths_of(root, self.training_mentions)
        typos = [root / self.typos] if self.typos and self.preprocessing == "biosyn" else []
        return [*super().list_files(root), *training, *typos]

    def read(self, root: Path) -> LinkingSet:
        """Return the mentions of a file over a dictionary.

        A document that occurs twice (one in NCBI's training file) counts twice, and once with
        BioSyn's preprocessing. A training mention is a name with all of its ids, a composite one as
        it stands; one without a concept is left out.
        """
        biosyn = self.preprocessing == "biosyn"
        typos = read_typos(root / self.typos) if biosyn and self.typos else {}

        def mentions(path: Path) -> Iterator[Mention]:
            for texts, is_repeated, mention in _mentions(path, self.mention_type):
                if not biosyn:
                    yield mention
                elif not is_repeated:
                    yield prepare(mention, texts, typos)

        files = paths_of(root, self.training_mentions)
        names = (mention for path in files for mention in mentions(path))
        mentions_of_set = mentions(root / self.path)
        return linking_set(root, self, mentions_of_set, names, clean=clean if biosyn else None)


def _mentions(
    path: Path, mention_type: str | None
) -> Iterator[tuple[tuple[str, ...], bool, Mention]]:
    """Yield title and abstract of a document, whether it stood before, and a mention of it."""
    texts: dict[str, str] = {}
    is_repeated, seen = False, set[str]()
    for line, text in enumerate(read_lines(path), start=1):
        if not text.strip():
            continue
        if _TEXT.match(text):
            # a bar ends a text, as upstream
            number, side, words = text.split("|")[:3]
            if side == "t":
                texts, is_repeated = {}, number in seen
                seen.add(number)
            texts[side] = words
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
        yield tuple(texts.values()), is_repeated, Mention(path, line, mention, ids, parts)

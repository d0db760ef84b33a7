"""What all entity linking sets share: their options, and how queries are made of mentions.

The protocol is SapBERT's, which the paper follows: names and mentions lower-cased, repeated
mentions kept, a query right when all parts of its mention find an accepted concept.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

from pydantic import Field

from workflow_scripts.configuration.blocks import Distinct, Text
from workflow_scripts.datasets.concept_ids import ConceptIds, split_concept_ids
from workflow_scripts.datasets.dictionaries import DictionaryFormat, read_dictionary
from workflow_scripts.datasets.entry import TextEntry, paths_of
from workflow_scripts.datasets.items import LinkingSet
from workflow_scripts.datasets.rows import require_ids, require_strings
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.delimited import Layout, read_rows, refuse_header


class LinkingEntry(TextEntry):
    ITEMS: ClassVar = LinkingSet

    whitespace: Literal["collapsed"] = Field("collapsed", description="Strings are matched.")
    dictionary: Text | Distinct[Text] = Field(
        description=(
            "File of the names to link to, or a list of files, such as the dictionary with or "
            "without the names of the training mentions."
        )
    )
    dictionary_format: DictionaryFormat = Field("id-name", description="Form of the dictionary.")
    shared_names: Literal["apart", "merged"] = Field(
        "apart",
        description=(
            "A name of several concepts (MEDIC has 958) is one entry per concept, or a single "
            "entry for all of them, as in the dictionaries that SapBERT's authors release."
        ),
    )
    lower_case: bool = Field(True, description="Whether names and mentions are lower-cased.")
    keep_duplicates: bool = Field(True, description="Whether repeated mentions count each time.")
    composite_gold: Literal["any", "aligned"] = Field(
        "any",
        description=(
            "What part i of a composite mention must find: any concept of the mention, or its "
            "concept i."
        ),
    )

    def dictionary_paths(self, root: Path) -> list[Path]:
        return paths_of(root, self.dictionary)

    def query_paths(self, root: Path) -> list[Path]:
        return paths_of(root, self.path)

    def list_files(self, root: Path) -> list[Path]:
        return [*self.query_paths(root), *self.dictionary_paths(root)]


class Mention(NamedTuple):
    """A mention of a file, its concept ids as written, and its parts where the file gives them."""

    path: Path
    line: int
    text: str
    ids: str
    parts: Sequence[str] = ()


def accepted_concepts(
    mention: str, parts: Sequence[str], ids: list[str], composite_gold: str
) -> tuple[list[str], list[list[str]]]:
    """Return the parts of a mention to search for, and for each the ids that it may find.

    `parts` are those of the file, none if it does not split the mention. With `any`, the way of
    SapBERT and BioSyn, every part (or the whole mention) may find any id, since parts and ids do
    not always stand in the same order. With `aligned` part i must find id i; where the numbers
    differ, the whole mention is searched for once for each id.
    """
    if composite_gold == "any":
        texts = list(parts) or [mention]
        return texts, [list(ids) for _ in texts]
    if len(parts) == len(ids):
        return list(parts), [[identity] for identity in ids]
    return [mention] * len(ids), [[identity] for identity in ids]


def linking_set(
    root: Path,
    entry: LinkingEntry,
    mentions: Iterable[Mention],
    names: Iterable[Mention] = (),
    what: str = "a mention",
    clean: Callable[[str], str] | None = None,
) -> LinkingSet:
    """Return the queries of mentions over the entry's dictionary; `what` they are, for messages.

    `names` are mentions that the dictionary has besides. `clean` is done to its own names; with it,
    mentions with a concept that the dictionary lacks are left out.
    """
    items, mentions = LinkingSet(), list(mentions)
    ids_of_mentions = [split_concept_ids(mention.ids) for mention in mentions]
    for mention, ids in zip(mentions, ids_of_mentions, strict=True):
        require_ids(ids, mention.path, mention.line)
    own_names = read_dictionary(entry.dictionary_paths(root), entry.dictionary_format)
    more_names = [(name.text, ids) for name in names if (ids := split_concept_ids(name.ids))]
    ids_of_names = (ids for _, ids in chain(own_names, more_names))
    concepts = ConceptIds(chain(ids_of_mentions, ids_of_names))
    items.names, items.name_concepts = _dictionary(entry, own_names, more_names, concepts, clean)
    known = {identity for ids in items.name_concepts for identity in ids} if clean else None
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for path, line, text, ids_text, parts in mentions:
        require_strings([text], what, path, line)
        if line == 1:
            refuse_header([text, ids_text], what, path, line)
        ids = concepts.plain(split_concept_ids(ids_text))
        if not ids:
            items.drop("no_concept")
            continue
        if known is not None and not known.issuperset(ids):
            items.drop("unknown_concept")
            continue
        if entry.lower_case:
            text, parts = text.lower(), [part.lower() for part in parts]
        key = (text, tuple(ids))
        if key in seen and not entry.keep_duplicates:
            items.drop("repeated_mention")
            continue
        seen.add(key)
        query, gold = accepted_concepts(text, parts, ids, entry.composite_gold)
        items.mentions.append(query)
        items.gold.append(gold)
    return items


def _dictionary(
    entry: LinkingEntry,
    own_names: list[tuple[str, list[str]]],
    more_names: list[tuple[str, list[str]]],
    concepts: ConceptIds,
    clean: Callable[[str], str] | None,
) -> tuple[list[str], list[list[str]]]:
    """Return the names to link to, and for each name its concept ids.

    A (concept, name) pair that is repeated (often only after lower-casing) is one entry, since it
    would take a place among the best k. A name that several concepts share has an entry for each of
    them, or with `shared_names` "merged" one entry that stands for all of them.
    """
    entries: dict[tuple[str, tuple[str, ...]], None] = {}

    def add(name: str, ids: list[str]) -> None:
        entries[(name.lower() if entry.lower_case else name, tuple(ids))] = None

    for name, ids in own_names:
        if cleaned := clean(name) if clean else name:
            add(cleaned, concepts.plain(ids))
    known = {identity for _, ids in entries for identity in ids}
    for name, ids in more_names:
        own = concepts.plain(ids)
        if clean is None or known.issuperset(own):
            add(normalise_whitespace(name), own)
    if entry.shared_names == "apart":
        return [name for name, _ in entries], [list(ids) for _, ids in entries]
    merged: dict[str, dict[str, None]] = {}
    for name, more_ids in entries:
        merged.setdefault(name, {}).update(dict.fromkeys(more_ids))
    return list(merged), [list(ids) for ids in merged.values()]


class MentionColumns(LinkingEntry):
    """Files with the columns mention and concept ids; `STRINGS` is what errors call a mention."""

    LAYOUT: ClassVar[Layout]
    STRINGS: ClassVar = "a mention"

    def layout(self) -> Layout:
        return self.LAYOUT

    def as_mention(self, path: Path, line: int, text: str, ids: str) -> Mention:
        return Mention(path, line, text, ids)

    def read(self, root: Path) -> LinkingSet:
        layout = self.layout()
        mentions = (
            self.as_mention(path, line, text, ids)
            for path in self.query_paths(root)
            for line, (text, ids) in read_rows(path, layout)
        )
        return linking_set(root, self, mentions, what=self.STRINGS)

"""What a reader returns: scored or labelled pairs, mentions to link, a lexicon, strings.

Each class says what a set that cannot be scored lacks, and what read_dataset writes of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

from workflow_scripts.datasets.sides import SIDES
from workflow_scripts.datasets.strings import StringTable, normalise_whitespace


@dataclass(kw_only=True)
class Items:
    """The items of a data set; `dropped` counts those of the files that are not here, by reason.

    `TEXTS` are the fields of strings, numbered in this order; `NEEDED` are those that may not be
    empty, with what is lacking then.
    """

    TEXTS: ClassVar[tuple[str, ...]]
    NEEDED: ClassVar[dict[str, str]]

    dropped: dict[str, int] = field(default_factory=dict)

    def add(self, *values: Any) -> None:
        """Append a value to each list, in the order of the fields."""
        for column, value in zip(fields(self)[1:], values, strict=True):
            getattr(self, column.name).append(value)

    def drop(self, reason: str, number: int = 1) -> None:
        """Count items that are left out; a reason without cases is not named."""
        if number:
            self.dropped[reason] = self.dropped.get(reason, 0) + number

    def collapse(self) -> None:
        """Collapse the whitespace of all strings."""
        for name in self.TEXTS:
            setattr(self, name, _each(getattr(self, name), normalise_whitespace))

    def lacks(self) -> str | None:
        """Return what a set that cannot be scored lacks, None for one that can."""
        return next((what for name, what in self.NEEDED.items() if not getattr(self, name)), None)

    def numbered(self) -> tuple[dict[str | None, list[str]], dict[str, Any]]:
        """Return the set's unique strings, and its block of items.json with their numbers.

        The strings are {None: list}, of a set with two sides {"source": list, "target": list}, in
        the order of first occurrence; a string's number is its index.
        """
        table = StringTable()
        numbered = {name: _each(getattr(self, name), table.id_of) for name in self.TEXTS}
        return {None: table.strings}, numbered | self._other_fields()

    def _other_fields(self) -> dict[str, Any]:
        names = [each.name for each in fields(self) if each.name not in (*self.TEXTS, "dropped")]
        return {name: getattr(self, name) for name in names}


def _each(texts: Any, change: Callable[[str], Any]) -> Any:
    """Return what `change` makes of strings instead of the strings, as deep in lists."""
    if isinstance(texts, str):
        return change(texts)
    return type(texts)(_each(text, change) for text in texts)


@dataclass
class ParallelSentences(Items):
    """Sentences and their translations, one entry per pair."""

    TEXTS = ("left", "right")
    NEEDED: ClassVar = {"left": "pair"}

    left: list[str] = field(default_factory=list)
    right: list[str] = field(default_factory=list)


@dataclass
class SimilaritySet(ParallelSentences):
    """Pairs of strings with a human score and the subset of each."""

    NEEDED: ClassVar = {"gold": "pair with a gold score"}

    gold: list[float] = field(default_factory=list)
    subset: list[str] = field(default_factory=list)


@dataclass
class LabelledPairs(ParallelSentences):
    """Pairs of strings with a label, 0 or 1."""

    label: list[int] = field(default_factory=list)

    def lacks(self) -> str | None:
        # scores compare the pairs of one label with those of the other
        absent = [label for label in (0, 1) if label not in self.label]
        return f"pair with label {absent[0]}" if absent else None


@dataclass
class LabelledTexts(Items):
    """Texts, or pairs of them, with the class or score of each as it is written.

    `parts` says what each is for: all, train, development or test.
    """

    TEXTS = ("texts",)
    NEEDED: ClassVar = {"texts": "text"}

    texts: list[list[str]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)

    def lacks(self) -> str | None:
        if (lacking := super().lacks()) is not None:
            return lacking
        labels: dict[str, set[str]] = {part: set() for part in self.parts}
        for part, label in zip(self.parts, self.labels, strict=True):
            labels[part].add(label)
        few = (part for part, own in labels.items() if len(own) < 2)
        return next((f"second label of part `{part}`" for part in few), None)


@dataclass
class StringSet(Items):
    """Strings without gold, whose vectors are looked at as a whole (isotropy)."""

    TEXTS = ("strings",)
    NEEDED: ClassVar = {"strings": "string"}

    strings: list[str] = field(default_factory=list)


@dataclass
class SentencePool(Items):
    """Different sentences of several languages, with the language of each."""

    TEXTS = ("sentences",)
    NEEDED: ClassVar = {"sentences": "sentence"}

    sentences: list[str] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)


@dataclass
class LinkingSet(Items):
    """Mentions to link to the entries of a dictionary.

    `names[i]` stands for the concept ids `name_concepts[i]`. `mentions[q]` holds the parts of query
    q (right when all of them are), and `gold[q][p]` the concept ids accepted for part p.
    """

    TEXTS = ("names", "mentions")
    NEEDED: ClassVar = {"gold": "mention with a concept"}

    names: list[str] = field(default_factory=list)
    name_concepts: list[list[str]] = field(default_factory=list)
    mentions: list[list[str]] = field(default_factory=list)
    gold: list[list[list[str]]] = field(default_factory=list)


@dataclass
class LexiconSet(Items):
    """A bilingual dictionary with the words among which translations are sought.

    `train` and `test` hold (source word, target word); a source may occur with several targets,
    any of which is right. The vocabularies hold every word of the dictionary's own.
    """

    TEXTS = ("source_vocabulary", "target_vocabulary", "train", "test")
    NEEDED: ClassVar = {"train": "training entry", "test": "test entry"}

    source_language: str
    target_language: str
    train: list[tuple[str, str]]
    test: list[tuple[str, str]]
    source_vocabulary: list[str]
    target_vocabulary: list[str]

    def numbered(self) -> tuple[dict[str | None, list[str]], dict[str, Any]]:
        """Return the strings of each side, which is embedded by an encoder of its own."""
        source, target = StringTable(), StringTable()
        numbered: dict[str, Any] = {
            "source_vocabulary": source.ids_of(self.source_vocabulary),
            "target_vocabulary": target.ids_of(self.target_vocabulary),
        }
        for name in ("train", "test"):
            pairs = getattr(self, name)
            numbered[name] = [
                (source.id_of(word), target.id_of(translation)) for word, translation in pairs
            ]
        sides: dict[str | None, list[str]] = {}
        sides |= zip(SIDES, (source.strings, target.strings), strict=True)
        return sides, numbered | self._other_fields()

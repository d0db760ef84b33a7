"""What all entity linking sets share: their options, and how queries are made of mentions.

The protocol is SapBERT's, which the paper follows: names and mentions lower-cased; mentions
without a concept dropped; repeated mentions kept; a query right when all parts of its mention
find an accepted concept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.dictionaries import READERS, read_dictionary, split_concept_ids
from workflow_scripts.datasets.items import LinkingSet, count_dropped
from workflow_scripts.datasets.options import Option

COMPOSITE_GOLD = ("any", "aligned")


def linking_options(dictionary_format: str | None) -> dict[str, Option]:
    """Return the options that all linking sets have; None makes the dictionary's form required."""
    known_format = {} if dictionary_format is None else {"default": dictionary_format}
    return {
        # One file or a list of files, such as the test dictionary with the names of the training
        # mentions added or without.
        "dictionary": Option((str, list)),
        "dictionary_format": Option((str,), choices=tuple(READERS), **known_format),
        # A name of several concepts (MEDIC has 958): an entry for each, or one that stands for all,
        # as BioSyn made the dictionaries that SapBERT's authors give out.
        "shared_names": Option((str,), "apart", choices=("apart", "merged")),
        "lower_case": Option((bool,), True),
        "keep_duplicates": Option((bool,), True),
        # What a part of a composite mention must find; see `accepted_concepts`.
        "composite_gold": Option((str,), "any", choices=COMPOSITE_GOLD),
    }


def dictionary_paths(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return the dictionary's files."""
    given = options["dictionary"]
    return [root / path for path in ([given] if isinstance(given, str) else given)]


def accepted_concepts(
    mention: str, parts: list[str], ids: list[str], composite_gold: str
) -> tuple[list[str], list[list[str]]]:
    """Return the parts of a mention to search for, and for each the ids that it may find.

    `parts` are those that the file gives, none if it does not split the mention.

    - `any`, the way of SapBERT and BioSyn: every part may find any id of the whole mention, since
      parts and ids do not always stand in the same order. A mention that is not split is one
      part, right with any of its ids.
    - `aligned`, the strict way: part i must find id i. Where there is another number of parts
      than of ids, the whole mention is searched for once for each id.
    """
    if composite_gold == "any":
        found = parts or [mention]
        return found, [list(ids) for _ in found]
    if len(parts) == len(ids):
        return parts, [[one] for one in ids]
    return [mention] * len(ids), [[one] for one in ids]


@dataclass
class Queries:
    """Collects the mentions of a set under the options of `linking_options`."""

    options: Mapping[str, Any]
    mentions: list[list[str]] = field(default_factory=list)
    gold: list[list[list[str]]] = field(default_factory=list)
    dropped: dict[str, int] = field(default_factory=dict)
    _seen: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)

    def add(self, mention: str, ids_text: str, parts: Sequence[str] = ()) -> None:
        """Add one mention with its ids as written, and its parts where the file gives them.

        A mention without a concept is dropped and counted, and with `keep_duplicates: false`
        so is one that occurred before with the same ids.
        """
        ids = split_concept_ids(ids_text)
        if not ids:
            count_dropped(self.dropped, "no_concept")
            return
        if self.options["lower_case"]:
            mention = mention.lower()
            parts = [part.lower() for part in parts]
        key = (mention, tuple(ids))
        if key in self._seen and not self.options["keep_duplicates"]:
            count_dropped(self.dropped, "repeated_mention")
            return
        self._seen.add(key)
        composite_gold = self.options["composite_gold"]
        found, gold = accepted_concepts(mention, list(parts), ids, composite_gold)
        self.mentions.append(found)
        self.gold.append(gold)

    def with_dictionary(
        self, root: Path, mentions: Iterable[tuple[str, list[str]]] = ()
    ) -> LinkingSet:
        """Return the set of these queries over the dictionary of the options.

        `mentions` are (name, concept ids) that it has besides.
        """
        names, concepts = read_dictionary(
            dictionary_paths(root, self.options),
            self.options["dictionary_format"],
            self.options["lower_case"],
            mentions,
            self.options["shared_names"],
        )
        return LinkingSet(names, concepts, self.mentions, self.gold, self.dropped)

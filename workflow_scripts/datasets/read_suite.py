"""Read the data sets of a suite: write its unique strings and the items by string id."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.catalogue import check_entry, check_suite, read_dataset
from workflow_scripts.datasets.items import (
    LabelledPairs,
    LabelledSentences,
    LexiconSet,
    LinkingSet,
    ParallelSentences,
    SimilaritySet,
    StringSet,
)
from workflow_scripts.datasets.strings import StringTable
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import write_text


def number_similarity(items: SimilaritySet, table: StringTable) -> dict[str, Any]:
    """Return pairs with string ids: left, right, gold, subset."""
    return {
        "left": table.ids_of(items.left),
        "right": table.ids_of(items.right),
        "gold": items.gold,
        "subset": items.subset,
    }


def number_labelled_pairs(items: LabelledPairs, table: StringTable) -> dict[str, Any]:
    """Return pairs with string ids: left, right, label (0 or 1)."""
    return {
        "left": table.ids_of(items.left),
        "right": table.ids_of(items.right),
        "label": items.label,
    }


def number_linking(items: LinkingSet, table: StringTable) -> dict[str, Any]:
    """Return names and mention parts with string ids, and concepts as they are."""
    return {
        "names": table.ids_of(items.names),
        "name_concepts": items.name_concepts,
        "mentions": [table.ids_of(parts) for parts in items.mentions],
        "gold": items.gold,
    }


def number_lexicon(items: LexiconSet, table: StringTable) -> dict[str, Any]:
    """Return both sides of a dictionary with string ids."""
    return {
        "source_language": items.source_language,
        "target_language": items.target_language,
        "source_vocabulary": table.ids_of(items.source_vocabulary),
        "target_vocabulary": table.ids_of(items.target_vocabulary),
        "train": [table.ids_of(pair) for pair in items.train],
        "test": [table.ids_of(pair) for pair in items.test],
    }


def number_lexicon_side(
    items: LexiconSet, language: str, table: StringTable, name: str
) -> dict[str, Any]:
    """Return the side of a dictionary that is in `language`, with string ids.

    Row i of `train` (and of `test`) belongs to row i of the other side's, in its own suite.
    """
    languages = [items.source_language, items.target_language]
    if language not in languages:
        raise UserError(
            f"suite: data set {name!r} has languages {' and '.join(languages)}, the suite has "
            f"{language!r}; move the data set to the suites of its languages"
        )
    column = languages.index(language)
    return {
        "task": "lexicon-side",
        "side": ("source", "target")[column],
        "language": language,
        "vocabulary": table.ids_of((items.source_vocabulary, items.target_vocabulary)[column]),
        "train": table.ids_of(pair[column] for pair in items.train),
        "test": table.ids_of(pair[column] for pair in items.test),
    }


def read_suite(
    root: str | Path, entries: Mapping[str, Mapping[str, Any]], language: str | None = None
) -> tuple[list[str], dict[str, Any]]:
    """Return the unique strings of a suite and the items of its data sets by string id.

    Strings are in the order of first occurrence with whitespace normalised; a string's id is its
    index. In a suite with a language a lexicon gives only its side in that language, since the
    two sides are embedded by different encoders. Raises `UserError` as `read_dataset` does.
    """
    table = StringTable()
    datasets: dict[str, Any] = {}
    for name, entry in entries.items():
        options = check_entry(name, entry)
        items = read_dataset(root, entry, name)
        block = {
            "task": options["task"],
            "split": options["split"],
            "language": options.get("language"),
            "dropped": items.dropped,
        }
        if isinstance(items, SimilaritySet):
            block |= number_similarity(items, table)
        elif isinstance(items, LabelledPairs):
            block |= number_labelled_pairs(items, table)
        elif isinstance(items, LabelledSentences):
            block |= {"strings": table.ids_of(items.sentences), "labels": items.labels}
        elif isinstance(items, ParallelSentences):
            block |= {"left": table.ids_of(items.left), "right": table.ids_of(items.right)}
        elif isinstance(items, StringSet):
            block["strings"] = table.ids_of(items.strings)
        elif isinstance(items, LinkingSet):
            block |= number_linking(items, table)
        elif language is None:
            del block["language"]
            block |= number_lexicon(items, table)
        else:
            block |= number_lexicon_side(items, language, table, name)
        datasets[name] = block
    return table.strings, datasets


def parse_suite_block(suite: str, text: str) -> tuple[dict[str, dict[str, Any]], str | None]:
    """Return the entries and the language of a suite given as JSON.

    The JSON is {"datasets": {id: entry, ...}, "language": code or absent}: the suite of
    config/datasets.yaml with its ids replaced by their entries.
    """
    try:
        block = json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(f"suite {suite!r}: --block is not valid JSON ({error.msg})") from error
    if not isinstance(block, dict) or not isinstance(block.get("datasets"), dict):
        raise UserError(f'suite {suite!r}: --block must be {{"datasets": {{id: entry, ...}}}}')
    check_suite(suite, {**block, "datasets": list(block["datasets"])})
    return block["datasets"], block.get("language")


def parse_arguments(argv: list[str] | None) -> argparse.Namespace:
    """Return the arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", required=True, metavar="ID", help="id of the suite")
    parser.add_argument(
        "--block",
        required=True,
        metavar="JSON",
        help='{"datasets": {id: entry, ...}, "language": code}; the language only for lexicons',
    )
    parser.add_argument("--root", required=True, type=Path, metavar="DIR", help="data root")
    parser.add_argument("--strings", required=True, type=Path, help="output: a string per line")
    parser.add_argument("--items", required=True, type=Path, help="output: items as JSON")
    return parser.parse_args(argv)


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
    arguments = parse_arguments(argv)
    entries, language = parse_suite_block(arguments.suite, arguments.block)
    strings, datasets = read_suite(arguments.root, entries, language)
    items = {"suite": arguments.suite, "datasets": datasets}
    # One line: indented JSON would give each of hundreds of thousands of ids a line of its own.
    text = json.dumps(items, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    write_text(arguments.items, text + "\n")
    write_text(arguments.strings, "".join(string + "\n" for string in strings))


if __name__ == "__main__":
    run_command(main)

"""Mentions to link: of a file or standard input, with their gold ids and documents, in batches."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.datasets.abbreviations import expand_abbreviations
from workflow_scripts.datasets.concept_ids import split_concept_ids
from workflow_scripts.datasets.rows import require_ids
from workflow_scripts.datasets.strings import normalise_whitespace
from workflow_scripts.delimited import Layout, rows_of
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.files import STDIN, given_lines, read_text
from workflow_scripts.retrieval.link_options import MentionOptions
from workflow_scripts.string_columns import form_of, read_columns, require_lines

# of a column; int() would take digits of other scripts, and fails at 5,000
_NUMBER = re.compile(r"0|[1-9][0-9]{0,8}")
# Mentions searched together: each batch goes over all names once.
BATCH = 4096


class Mention(NamedTuple):
    """A mention and its gold ids as written, None where none are asked for.

    `expanded` has the abbreviations of its document written out, "" where it has none.
    """

    text: str
    gold: str | None = None
    expanded: str = ""

    @property
    def gold_ids(self) -> list[str]:
        """The gold ids that count; [] without one."""
        return split_concept_ids(self.gold or "")


@dataclass(frozen=True)
class _MentionLayout(Layout):
    blank_end: bool = False
    refuse_quoted_tab: bool = True
    not_header: tuple[str, str] | None = (
        *("a mention", "name the columns (--mention-column {first}), or remove the line"),
    )

    def no_column(self, name: str, header: Sequence[str]) -> tuple[str, str]:
        return f"no column {name!r}", nearest_name(name, header)

    def wrong_width(self, fields: Sequence[str]) -> str:
        return f"no column {self.width}, found {len(fields)}"


def read_mentions(
    source: str,
    column: str | None,
    gold: str | None,
    document: str | None = None,
    folder: Path | None = None,
) -> Iterator[Mention]:
    """Yield the mentions of a file, or of stdin for "-": a line each, or columns of a table.

    A column is a number from 1, or a name of the header. Blank mentions are yielded as "". The
    column `document` has the text of each mention's document, or with `folder` the name of its file
    there; abbreviations that it defines are written out.
    """
    columns: list[Any] = [column or "1", *filter(None, (gold, document))]
    for option, name in (("--gold-column", gold), ("--document-column", document)):
        if name is not None and columns.count(name) > 1:
            raise UserError(
                f"{option} {name}", "names a column of another option", "choose another"
            )
    if source != STDIN and form_of(Path(source)) not in (None, "TSV"):
        if column is None:
            remedy = "name the column of the mentions with --mention-column"
            require_lines("--mentions", Path(source), remedy)
        path, rows = Path(source), read_columns(Path(source), columns, {})
    else:
        name, lines = given_lines(source)
        path = Path(name)
        if columns == ["1"] and column is None:
            yield from (Mention(normalise_whitespace(text)) for text in lines)
            return
        if all(map(_NUMBER.fullmatch, columns)):
            columns = list(map(int, columns))
            if min(columns) < 1:
                raise UserError(f"{path}:1", "no column 0", "columns count from 1")
        elif (header := next(lines, None)) is not None:
            lines = chain([header], lines)
        else:
            return
        rows = rows_of(path, lines, _MentionLayout(columns))
    text_of = lru_cache(maxsize=8)(partial(_text_of_document, folder))
    for number, row in rows:
        mention, *others = map(normalise_whitespace, row)
        gold_ids = others[0] if gold is not None else None
        if gold_ids is not None:
            require_ids(split_concept_ids(gold_ids), path, number)
        if document is None:
            yield Mention(mention, gold_ids)
            continue
        try:
            text = text_of(others[-1]) if others[-1] else None
        except UserError as error:
            raise error.at(f"{path}:{number}") from None
        yield mention_of_document(mention, gold_ids, text)


def mentions_of(options: MentionOptions) -> Iterator[Mention]:
    """Yield the mentions that the options of a command name."""
    columns = (options.mention_column, options.gold_column, options.document_column)
    return read_mentions(options.mentions, *columns, options.documents)


def mention_of_document(text: str, gold: str | None, document: str | None) -> Mention:
    """Return a mention in which the abbreviations that its document defines are written out."""
    expanded = expand_abbreviations(text, document) if document else text
    return Mention(text, gold, expanded if expanded != text else "")


def _text_of_document(folder: Path | None, cell: str) -> str:
    """Return what a cell has: the text, or where there is a folder, the name of its file."""
    if folder is None:
        return cell
    for path in (folder / cell, folder / f"{cell}.txt"):
        if path.is_file():
            return read_text(path)
    raise UserError(None, f"no file {cell} or {cell}.txt in {folder}", "check --documents")


class MentionBatch(NamedTuple):
    """Mentions that are not blank, with the texts to embed, row by row and each once."""

    mentions: list[Mention]
    texts: list[str]
    distinct: list[str]
    blank: int


def mention_batches(
    mentions: Iterable[Mention], lower_case: bool, size: int = BATCH
) -> Iterator[MentionBatch]:
    remaining = iter(mentions)
    while batch := list(islice(remaining, size)):
        nonblank = [mention for mention in batch if mention.text]
        texts = [mention.expanded or mention.text for mention in nonblank]
        texts = [text.lower() for text in texts] if lower_case else texts
        distinct = list(dict.fromkeys(texts))
        yield MentionBatch(nonblank, texts, distinct, len(batch) - len(nonblank))

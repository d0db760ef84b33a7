"""Readers of public text files: each yields the running text of a file, one paragraph at a time.

All readers take a path (gzipped if its name ends in `.gz`) and yield stripped, non-empty strings
without newlines. They clean away the form of the file only; choosing text is for `text_cleaning`.
All raise `UserError` with file and line where a file is not what its reader expects.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from workflow_scripts.corpora.obo import NAMES, read_obo
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_bytes, read_lines, read_rows

GUTENBERG_ENCODINGS = ("utf-8-sig", "iso-8859-1")


def _whole(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if stripped := " ".join(line.split()):
            yield stripped


def read_plain_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file that holds one sentence or paragraph a line."""
    yield from _whole(read_lines(path))


def read_wikiextractor(path: Path) -> Iterator[str]:
    """Yield the paragraphs of WikiExtractor output, `<doc ...>` blocks or one JSON object a line.

    Block files lose the lines that start with `<doc ` or `</doc` and nothing else: a stray `<` in
    the text is no tag. The first line of an article is its title; it stays, and is as a rule too
    short to pass the cleaning.
    """
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if first.startswith("{"):
        yield from _whole(_json_paragraphs(path, lines))
    elif first.startswith("<doc "):
        yield from _whole(line for line in lines if not line.startswith(("<doc ", "</doc")))
    else:
        raise UserError(
            f"{path}:1: expected WikiExtractor output (a line '<doc ...>' or a JSON object); "
            "give the text another reader in config"
        )


def _json_paragraphs(path: Path, lines: list[str]) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            text = json.loads(line)["text"]
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise UserError(
                f"{path}:{number}: expected a JSON object with a key 'text'; remove the line"
            ) from error
        yield from text.split("\n")


def read_doc_blocks(path: Path) -> Iterator[str]:
    """Yield the lines of a file whose documents may, but need not, stand in `<doc ...>` blocks."""
    yield from _whole(line for line in read_lines(path) if not line.startswith(("<doc ", "</doc")))


def read_numbered_lines(path: Path) -> Iterator[str]:
    """Yield the sentences of a Leipzig Corpora file: a number, a tab, a sentence."""
    for number, fields in read_rows(path, 2, "a row of number<TAB>sentence"):
        if not fields[0].strip().isdigit():
            raise UserError(
                f"{path}:{number}: expected a row of number<TAB>sentence, found "
                f"{fields[0][:30]!r} before the tab; give the text another reader in config"
            )
        yield from _whole(["\t".join(fields[1:])])


def read_conllu(path: Path) -> Iterator[str]:
    """Yield the `# text =` sentences of a CoNLL-U treebank."""
    found = False
    for line in read_lines(path):
        key, separator, value = line.partition("=")
        if separator and key.split() == ["#", "text"]:
            found = True
            yield from _whole([value])
    if not found:
        raise UserError(f"{path}: no line '# text = ...'; give the text another reader in config")


def read_gutenberg(path: Path) -> Iterator[str]:
    """Yield the paragraphs of a Project Gutenberg book, between its START and END lines.

    Hard-wrapped lines are joined; a paragraph ends at a blank line. Older files are ISO-8859-1.
    """
    raw = read_bytes(path)
    for encoding in GUTENBERG_ENCODINGS:
        try:
            lines = raw.decode(encoding).split("\n")
            break
        except UnicodeDecodeError:
            continue
    starts = [n for n, line in enumerate(lines) if _is_gutenberg_mark(line, "START")]
    ends = [n for n, line in enumerate(lines) if _is_gutenberg_mark(line, "END")]
    if not starts or not ends or starts[0] >= ends[-1]:
        raise UserError(
            f"{path}: no '*** START' line before an '*** END' line; "
            "give the text another reader in config"
        )
    paragraph: list[str] = []
    for line in [*lines[starts[0] + 1 : ends[-1]], ""]:
        if line.strip():
            paragraph.append(line)
        else:
            yield from _whole([" ".join(paragraph)])
            paragraph = []


def _is_gutenberg_mark(line: str, word: str) -> bool:
    return line.startswith("***") and line.strip("* \r").startswith(word)


def read_ontology(path: Path) -> Iterator[str]:
    """Yield names, synonyms and definitions of an ontology in OBO format."""
    yield from read_obo(path, (*NAMES, "def"))


def read_tsv_column(path: Path, column: int) -> Iterator[str]:
    """Yield one column (counted from 1) of a tab-separated file without header, quoting off."""
    for _, fields in read_rows(path, column, f"a row with text in column {column}"):
        yield from _whole([fields[column - 1]])


READERS: dict[str, Callable[[Path], Iterator[str]]] = {
    "lines": read_plain_lines,
    "wikiextractor": read_wikiextractor,
    "doc-blocks": read_doc_blocks,
    "numbered-lines": read_numbered_lines,
    "conllu": read_conllu,
    "gutenberg": read_gutenberg,
    "obo": read_ontology,
}


def read_with(reader: str, path: Path, columns: tuple[int, ...] = ()) -> Iterator[str]:
    """Yield the text of `path` by the reader called `reader`; `tsv` needs `columns`.

    Raises `UserError` for an unknown reader, or `columns` without `tsv` and the reverse.
    """
    if (reader == "tsv") != bool(columns):
        raise UserError(f"{path}: 'columns' goes with reader tsv and only with it; mend config")
    if reader == "tsv":
        for column in columns:
            yield from read_tsv_column(path, column)
    elif reader in READERS:
        yield from READERS[reader](path)
    else:
        names = ", ".join([*READERS, "tsv"])
        raise UserError(f"{path}: unknown reader {reader!r}; use one of {names}")

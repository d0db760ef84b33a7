"""Readers of public text files (gzipped if `.gz`): each yields the documents of a file.

A document is a list of paragraphs, stripped and non-empty; formats of lines or sentences without
documents give each as one. Files are streamed, but for the books of `gutenberg`, ontologies and
treebanks. Choosing text is for `text_cleaning`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from workflow_scripts.datasets.obo import NAMES, read_obo
from workflow_scripts.datasets.rows import read_aligned_lines, require_strings
from workflow_scripts.datasets.strings import runs_of_lines
from workflow_scripts.delimited import Layout, read_json_lines, read_rows
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_bytes, stream_lines

_ANOTHER = "choose another reader for the text"

Document = list[str]


def _whole(lines: Iterable[str]) -> Document:
    return [whole for line in lines if (whole := " ".join(line.split()))]


def _apart(lines: Iterable[str]) -> Iterator[Document]:
    return (_whole([line]) for line in lines)


def _unwrapped(lines: Iterable[str]) -> Document:
    return _whole(map(" ".join, runs_of_lines(lines)))


def read_wikiextractor(path: Path) -> Iterator[Document]:
    """Yield the articles of WikiExtractor output, `<doc ...>` blocks or one JSON object a line."""
    first = next((line for line in stream_lines(path) if line.strip()), "")
    if first.startswith("{"):
        return (_whole(text.split("\n")) for _, [text] in read_json_lines(path, ["text"]))
    if first.startswith("<doc "):
        return read_doc_blocks(path)
    raise UserError(
        f"{path}:1", "expected WikiExtractor output (a line '<doc ...>' or a JSON object)", _ANOTHER
    )


def read_doc_blocks(path: Path) -> Iterator[Document]:
    """Yield the text in, before, between and after `<doc ...>` blocks, if there are any.

    Only lines that start with `<doc ` or `</doc` are dropped: a stray `<` in the text stays.
    """
    document: list[str] = []
    for line in stream_lines(path):
        if line.startswith(("<doc ", "</doc")):
            yield _whole(document)
            document = []
        else:
            document.append(line)
    yield _whole(document)


def read_numbered_lines(path: Path) -> Iterator[Document]:
    """Yield the sentences of a Leipzig Corpora file: a number, a tab, a sentence."""
    for number, fields in read_rows(path, Layout(what="a row of number<TAB>sentence", width=2)):
        if not fields[0].strip().isdigit():
            raise UserError(
                f"{path}:{number}",
                f"expected a row of number<TAB>sentence, found {fields[0][:30]!r} before the tab",
                _ANOTHER,
            )
        yield _whole(["\t".join(fields[1:])])


def read_conllu(path: Path) -> Iterator[Document]:
    """Yield the `# text =` sentences of a CoNLL-U treebank, by its `# newdoc` where it has them."""
    documents: list[list[str]] = [[]]
    for line in stream_lines(path):
        key, separator, value = line.partition("=")
        if separator and key.split() == ["#", "text"]:
            documents[-1].append(value)
        elif line.split()[:2] == ["#", "newdoc"]:
            documents.append([])
    if not any(documents):
        raise UserError(path, "no line '# text = ...'", _ANOTHER)
    return _apart(documents[0]) if len(documents) == 1 else map(_whole, documents)


def read_gutenberg(path: Path) -> Iterator[Document]:
    """Yield the hard-wrapped paragraphs between START and END of a Project Gutenberg book."""
    raw = read_bytes(path)
    try:
        lines = raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        lines = raw.decode("iso-8859-1").split("\n")
    marks = [(n, line.strip("* \r")) for n, line in enumerate(lines) if line.startswith("***")]
    starts, ends = ([n for n, text in marks if text.startswith(word)] for word in ("START", "END"))
    if not starts or not ends or starts[0] >= ends[-1]:
        raise UserError(path, "no '*** START' line before an '*** END' line", _ANOTHER)
    yield _unwrapped(lines[starts[0] + 1 : ends[-1]])


def read_identified_lines(path: Path, ids: Path) -> Iterator[Document]:
    """Yield the runs of lines of a file whose line in the file `ids` says the same document."""

    def identity(row: tuple[int, list[str]]) -> str:
        line, (_, text) = row
        require_strings([text], "the id of a document", ids, line)
        return text.strip()

    for _, run in groupby(read_aligned_lines([path, ids]), key=identity):
        if document := _whole(text for _, (text, _) in run):
            yield document


def read_table(path: Path, columns: Sequence[int]) -> Iterator[Document]:
    """Yield the columns (counted from 1) of a tab-separated file without header, quoting off."""
    for column in columns:
        for _, row in read_rows(path, Layout([column], f"a row with text in column {column}")):
            yield _whole(row)


READERS: dict[str, Callable[[Path], Iterator[Document]]] = {
    "lines": lambda path: _apart(stream_lines(path)),
    # a file is one document: a paragraph a line, or of wrapped lines between blank ones
    "document": lambda path: iter([_whole(stream_lines(path))]),
    "wrapped-document": lambda path: iter([_unwrapped(stream_lines(path))]),
    # a blank line ends a document: of paragraphs, one a line
    "blank-line-documents": lambda path: map(_whole, runs_of_lines(stream_lines(path))),
    "wikiextractor": read_wikiextractor,
    "doc-blocks": read_doc_blocks,
    "numbered-lines": read_numbered_lines,
    "conllu": read_conllu,
    "gutenberg": read_gutenberg,
    "obo": lambda path: _apart(read_obo(path, (*NAMES, "def"))),
}


def read_documents(reader: str, path: Path, columns: Sequence[int] = ()) -> Iterator[Document]:
    """Yield the documents of `path` by the reader called `reader`; `tsv` needs `columns`."""
    documents = read_table(path, columns) if reader == "tsv" else READERS[reader](path)
    return filter(None, documents)

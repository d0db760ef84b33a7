"""Each reader on a small handmade file of its format."""

import gzip
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.pretraining.text_readers import (
    read_conllu,
    read_doc_blocks,
    read_gutenberg,
    read_numbered_lines,
    read_plain_lines,
    read_tsv_column,
    read_wikiextractor,
    read_with,
)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_plain_lines_are_stripped_and_empty_ones_dropped(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.txt", "\ufeffOne  line. \r\n\r\n  Zwei\u2028Zeilen\nlast without newline"
    )
    assert list(read_plain_lines(path)) == ["One line.", "Zwei Zeilen", "last without newline"]


def test_gzipped_lines_read_as_plain_ones(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt.gz", gzip.compress("été\nhiver\n".encode()))
    assert list(read_plain_lines(path)) == ["été", "hiver"]


def test_wikiextractor_blocks_lose_only_their_doc_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path / "wiki_00",
        '<doc id="1" url="?curid=1" title="Sets">\nSets\n\nIf a < b then c > d holds.\n</doc>\n'
        '<doc id="2" url="?curid=2" title="Tags">\nTags\n\nThe <doc mark inside stays.\n</doc>\n',
    )
    assert list(read_wikiextractor(path)) == [
        "Sets",
        "If a < b then c > d holds.",
        "Tags",
        "The <doc mark inside stays.",
    ]


def test_wikiextractor_json_lines_give_their_paragraphs(tmp_path: Path) -> None:
    path = write(tmp_path / "wiki_00", '{"id": "1", "text": "Title\\n\\nOne.\\nTwo."}\n')
    assert list(read_wikiextractor(path)) == ["Title", "One.", "Two."]


def test_wikiextractor_names_the_line_of_broken_json(tmp_path: Path) -> None:
    path = write(tmp_path / "wiki_00", '{"text": "Fine."}\n{"text": \n')
    with pytest.raises(UserError, match=r"wiki_00:2: expected a JSON object"):
        list(read_wikiextractor(path))


def test_wikiextractor_refuses_plain_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="expected WikiExtractor output"):
        list(read_wikiextractor(write(tmp_path / "wiki_00", "Just a line.\n")))


def test_doc_blocks_are_optional(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", '<doc title="A">\nFirst.\n</doc>\n   Second.\n')
    assert list(read_doc_blocks(path)) == ["First.", "Second."]


def test_numbered_lines_lose_number_and_tab(tmp_path: Path) -> None:
    path = write(tmp_path / "en.txt", '1\t"Quoted" start.\n2\tA\ttab inside.\n')
    assert list(read_numbered_lines(path)) == ['"Quoted" start.', "A tab inside."]


@pytest.mark.parametrize("line", ["no tab at all", "word\tinstead of number"])
def test_numbered_lines_name_the_line_without_number(tmp_path: Path, line: str) -> None:
    path = write(tmp_path / "en.txt", f"1\tFine.\n{line}\n")
    with pytest.raises(UserError, match=r"en\.txt:2: expected a row of number<TAB>sentence"):
        list(read_numbered_lines(path))


def test_conllu_gives_the_text_comments(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.conllu",
        "# sent_id = 1\n# text = Tea = hot.\n1\tTea\ttea\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
        "# text_en = other\n# text = Second.\n",
    )
    assert list(read_conllu(path)) == ["Tea = hot.", "Second."]


def test_conllu_without_text_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no line '# text ="):
        list(read_conllu(write(tmp_path / "a.conllu", "1\tTea\n")))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "iso-8859-1"])
def test_gutenberg_joins_paragraphs_between_its_marks(tmp_path: Path, encoding: str) -> None:
    book = (
        "Licence\r\n*** START OF THIS PROJECT GUTENBERG EBOOK X ***\r\n\r\nDon Quijote,\r\n"
        "señor.\r\n\r\nSecond paragraph.\r\n*** END OF THIS PROJECT GUTENBERG EBOOK X ***\r\nX\r\n"
    )
    path = write(tmp_path / "1.txt", book.encode(encoding))
    assert list(read_gutenberg(path)) == ["Don Quijote, señor.", "Second paragraph."]


def test_gutenberg_needs_both_marks(tmp_path: Path) -> None:
    path = write(tmp_path / "1.txt", "*** START OF X ***\nNo end.\n")
    with pytest.raises(UserError, match=r"no '\*\*\* START' line before an '\*\*\* END' line"):
        list(read_gutenberg(path))


def test_ontologies_give_definitions_too(tmp_path: Path) -> None:
    path = write(tmp_path / "a.obo", 'name: odd bone\ndef: "A bone that is odd." [X:me]\n')
    assert list(read_with("obo", path)) == ["odd bone", "A bone that is odd."]


def test_tsv_column_reads_with_quoting_off(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", 'x\t"odd quote\t1\ny\tfine\t2\n')
    assert list(read_tsv_column(path, 2)) == ['"odd quote', "fine"]


def test_tsv_column_names_the_short_row(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"a\.tsv:2"):
        list(read_tsv_column(write(tmp_path / "a.tsv", "x\ty\nz\n"), 2))


def test_unknown_readers_and_misplaced_columns_are_mistakes(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "a\n")
    with pytest.raises(UserError, match="unknown reader 'line'; use one of lines,"):
        list(read_with("line", path))
    with pytest.raises(UserError, match="'columns' goes with reader tsv"):
        list(read_with("lines", path, (1,)))
    with pytest.raises(UserError, match="'columns' goes with reader tsv"):
        list(read_with("tsv", path))


@pytest.mark.parametrize("reader", [read_plain_lines, read_wikiextractor, read_gutenberg])
def test_missing_and_damaged_files_are_mistakes(tmp_path: Path, reader: object) -> None:
    with pytest.raises(UserError, match="no such file"):
        list(reader(tmp_path / "absent"))
    with pytest.raises(UserError, match="cannot be read"):
        list(reader(write(tmp_path / "torn.gz", gzip.compress(b"text" * 99)[:20])))


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("reader", "pattern", "minimum"),
    [
        ("wikiextractor", "wikipedia-zh/AA/wiki_00", 4000),
        ("wikiextractor", "wikipedia-en/json/wiki_00", 1000),
        ("numbered-lines", "text-ru-leipzig-wikipedia/*", 10000),
        ("conllu", "ud-text/ru_gsd-ud-dev.conllu", 579),
        ("gutenberg", "gutenberg/2000-8.txt.gz", 5000),
        ("obo", "hpo/hp.obo.gz", 10267),
        ("lines", "text-he-svlm-wikipedia/*", 49000),
    ],
)
def test_real_files_read_whole(shared_data: Path, reader: str, pattern: str, minimum: int) -> None:
    (path,) = shared_data.glob(pattern)
    paragraphs = list(read_with(reader, path))
    assert len(paragraphs) >= minimum
    assert not any(p.startswith(("<doc ", "</doc", "*** START", "*** END")) for p in paragraphs)

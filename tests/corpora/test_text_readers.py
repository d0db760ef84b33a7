"""Each reader on a small handmade file of its format."""

import pytest
from read_paragraphs import read_paragraphs
from written_files import write

from workflow_scripts.corpora.text_readers import read_documents
from workflow_scripts.errors import UserError

BLOCKS = (
    '<doc id="1" url="?curid=1" title="Sets">\nSets\n\nIf a < b then c > d holds.\n</doc>\n'
    '<doc id="2" url="?curid=2" title="Tags">\nTags\n\nThe <doc mark inside stays.\n</doc>\n'
)
ARTICLES = [["Sets", "If a < b then c > d holds."], ["Tags", "The <doc mark inside stays."]]
TREES = (
    "# sent_id = 1\n# text = Tea = hot.\n1\tTea\ttea\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    "# text_en = other\n# text = Second.\n"
)
BOOK = (
    "Licence\r\n*** START OF THIS PROJECT GUTENBERG EBOOK X ***\r\n\r\nDon Quijote,\r\n"
    "señor.\r\n\r\nSecond paragraph.\r\n*** END OF THIS PROJECT GUTENBERG EBOOK X ***\r\nX\r\n"
)
PARAGRAPHS = [["Don Quijote, señor.", "Second paragraph."]]


@pytest.mark.parametrize(
    ("reader", "content", "documents"),
    [
        ("lines", "\ufeffA  b. \r\n\r\n  c\u2028d\nlast", [["A b."], ["c d"], ["last"]]),
        ("document", "A  b.\n\nC.\n", [["A b.", "C."]]),
        ("wrapped-document", "A\nb.\n \n\nC.\n", [["A b.", "C."]]),
        ("blank-line-documents", "\nA.\nB.\n \n\nC  d.\n", [["A.", "B."], ["C d."]]),
        ("blank-line-documents", "\n", []),
        ("wikiextractor", BLOCKS, ARTICLES),
        ("wikiextractor", '{"text": "A\\n\\nB."}\n\n{"text": "D"}\n', [["A", "B."], ["D"]]),
        ("doc-blocks", BLOCKS, ARTICLES),
        ("doc-blocks", '<doc title="A">\nFirst.\n</doc>\n Second.\n', [["First."], ["Second."]]),
        ("doc-blocks", "One.\n\nTwo.\n", [["One.", "Two."]]),
        ("numbered-lines", '1\t"Quoted" a.\n2\tA\ttab.\n', [['"Quoted" a.'], ["A tab."]]),
        ("conllu", TREES, [["Tea = hot."], ["Second."]]),
        ("conllu", f"# newdoc\n{TREES}# newdoc id = 2\n{TREES}", [["Tea = hot.", "Second."]] * 2),
        ("gutenberg", BOOK, PARAGRAPHS),
        ("gutenberg", BOOK.encode("iso-8859-1"), PARAGRAPHS),
        ("obo", 'name: odd bone\ndef: "An odd bone." [X:me]\n', [["odd bone"], ["An odd bone."]]),
    ],
)
def test_a_format_gives_its_documents(tmp_path, reader, content, documents):
    for name in ("text", "text.gz"):
        assert list(read_documents(reader, write(tmp_path / name, content))) == documents


def test_columns_of_a_table_are_read_one_after_the_other_with_quoting_off(tmp_path):
    path = write(tmp_path / "a.tsv", 'x\t"odd quote\t1\ny\tfine\t2\n')
    assert list(read_paragraphs("tsv", path, [2, 1])) == ['"odd quote', "fine", "x", "y"]
    with pytest.raises(UserError, match=r"a\.tsv:2"):
        list(read_paragraphs("tsv", write(tmp_path / "a.tsv", "x\ty\nz\n"), [2]))


@pytest.mark.parametrize(
    ("reader", "content", "message"),
    [
        ("wikiextractor", '{"text": "Fine."}\n{"text": \n', "text:2: not valid JSON"),
        ("wikiextractor", "Just a line.\n", "expected WikiExtractor output"),
        ("numbered-lines", "1\tFine.\nno tab\n", "text:2: expected a row of number<TAB>sentence"),
        ("numbered-lines", "1\tFine.\nword\tx\n", "text:2: expected a row of number<TAB>sentence"),
        ("conllu", "1\tTea\n", "no line '# text ="),
        ("gutenberg", "*** START OF X ***\nNo end.\n", r"no '\*\*\* START' line before an"),
    ],
)
def test_what_a_reader_does_not_expect_is_named(tmp_path, reader, content, message):
    with pytest.raises(UserError, match=message):
        list(read_paragraphs(reader, write(tmp_path / "text", content)))

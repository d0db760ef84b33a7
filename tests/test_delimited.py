"""The reader of delimited files, with Python's csv module as the oracle."""

import csv
import gzip
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.delimited import Layout, read_rows, rows_of
from workflow_scripts.errors import UserError

PLAIN = st.characters(codec="utf-8", exclude_characters="\t\n\r\0\ufeff")
ANY = st.characters(codec="utf-8", exclude_characters="\0\ufeff")
FIELD = st.text(PLAIN, max_size=8) | st.sampled_from(['"', '""', '"a', 'a"', ",", " ", "\u2028"])
QUOTABLE = FIELD | st.text(ANY, max_size=8) | st.sampled_from(["\n", "\r\n", "a,b", 'a\n"b"'])
NAMES = ["first", "second", "third", "fourth"]


def tables(field, least=1):
    """Return tables of a header and rows, one to four columns wide."""

    def rows(width):
        names = st.permutations(NAMES[:width])
        return st.tuples(names, st.lists(st.tuples(*[field] * width), min_size=least, max_size=5))

    return st.integers(1, len(NAMES)).flatmap(rows)


def write(folder, name, text, mark=False):
    path = folder / name
    raw = ("\ufeff" * mark + text).encode()
    path.write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return path


def error_of(path, layout):
    with pytest.raises(UserError) as caught:
        list(read_rows(path, layout))
    return str(caught.value).removeprefix(f"{path}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("rows")


# ---- against csv ---------------------------------------------------------------------------------


@given(
    tables(QUOTABLE),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["a.csv", "a.csv.gz"]),
    st.data(),
)
def test_csv_is_what_python_reads(folder, table, quoting, end, mark, name, data):
    header, rows = table
    text = io.StringIO(newline="")
    csv.writer(text, quoting=quoting, lineterminator=end).writerows([header, *rows])
    path = write(folder, name, text.getvalue(), mark)
    oracle = csv.reader(io.StringIO(text.getvalue(), newline=""))
    lines = [(oracle.line_num, row) for row in oracle]
    assert list(read_rows(path, Layout(delimiter=","))) == lines
    wanted = data.draw(st.lists(st.sampled_from(header), min_size=1, unique=True))
    named = [(line, [row[header.index(one)] for one in wanted]) for line, row in lines[1:]]
    for delimiter in (",", None):
        assert list(read_rows(path, Layout(wanted, delimiter=delimiter))) == named
    numbers = [header.index(one) + 1 for one in wanted]
    counted = [(line, [row[number - 1] for number in numbers]) for line, row in lines]
    assert list(read_rows(path, Layout(numbers, delimiter=","))) == counted


@given(
    tables(FIELD),
    st.sampled_from(["\t", "|", ";"]),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.sampled_from(["a.tsv", "a.csv.gz"]),
    st.data(),
)
def test_without_quotes_rows_are_what_python_reads(folder, table, delimiter, end, mark, name, data):
    header, rows = table
    rows = [[one.replace(delimiter, "-") for one in row] for row in rows]
    # a blank line at the end would be no row
    rows = [[*row[:-1], row[-1] or "-"] for row in rows]
    text = [delimiter.join(row) for row in (header, *rows)]
    path = write(folder, name, "".join(line + end for line in text), mark)
    options = {"delimiter": delimiter, "quoting": csv.QUOTE_NONE}
    lines = [next(csv.reader([line], **options)) for line in text]
    assert lines == [header, *rows]
    assert list(read_rows(path, Layout(delimiter=delimiter))) == list(enumerate(lines, start=1))
    wanted = data.draw(st.lists(st.sampled_from(header), min_size=1, unique=True))
    named = [[row[header.index(one)] for one in wanted] for row in lines[1:]]
    layout = Layout(wanted, delimiter=delimiter)
    assert list(read_rows(path, layout)) == list(enumerate(named, start=2))
    assert list(rows_of("-", text, layout)) == list(enumerate(named, start=2))
    number = data.draw(st.integers(1, len(header)))
    counted = [[row[number - 1]] for row in lines]
    layout = Layout([number], delimiter=delimiter)
    assert list(read_rows(path, layout)) == list(enumerate(counted, start=1))


@given(tables(FIELD, least=2), st.data())
def test_a_value_selects_the_rows_that_python_selects(folder, table, data):
    header, rows = table
    rows = [[*row[:-1], row[-1] or "-"] for row in rows]
    path = write(folder, "a.tsv", "\n".join("\t".join(row) for row in (header, *rows)))
    column, other = (data.draw(st.sampled_from(header)) for _ in range(2))
    value = data.draw(st.sampled_from(rows))[header.index(column)].strip()
    found = list(read_rows(path, Layout([other], where={column: value})))
    reader = csv.DictReader(
        path.read_text("utf-8").split("\n"), delimiter="\t", quoting=csv.QUOTE_NONE
    )
    lines = enumerate(reader, start=2)
    assert found == [(n, [row[other]]) for n, row in lines if row[column].strip() == value]


@given(tables(st.text(PLAIN, min_size=1, max_size=8)), st.data())
def test_by_its_name_a_file_is_of_four_forms_with_the_same_rows(folder, table, data):
    header, rows = table
    wanted = data.draw(st.lists(st.sampled_from(header), min_size=1, max_size=3, unique=True))
    expected = [[row[header.index(one)] for one in wanted] for row in rows]
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    objects = [dict(zip(header, row, strict=True)) for row in rows]
    keys = ("text_a", "text_b", "label")
    entries = {
        str(number): dict(zip(keys, row, strict=False)) for number, row in enumerate(expected)
    }
    texts = {
        "a.csv": text.getvalue(),
        "a.tsv": "\n".join("\t".join(row) for row in (header, *rows)),
        "a.jsonl": "".join(json.dumps(one) + "\n" for one in objects),
        "a.json": json.dumps(entries, indent=data.draw(st.sampled_from([None, 1, 4]))),
    }
    for name, text in texts.items():
        path = write(folder, name, text)
        found = list(read_rows(path, Layout(wanted, delimiter=None)))
        assert [row for _, row in found] == expected, name
    # the line of an entry is that of its key
    lines = text.split("\n")
    assert all(f'"{number}":' in lines[line - 1] for number, (line, _) in enumerate(found))


# ---- what csv does not know ----------------------------------------------------------------------


@given(st.lists(FIELD.filter(lambda text: "|" not in text), min_size=2, max_size=5))
def test_the_second_of_two_fields_may_contain_the_delimiter(folder, parts):
    path = write(folder, "a.txt", "||".join(parts))
    layout = Layout((2, 1), "id||name", exact=True, delimiter="||")
    assert list(read_rows(path, layout)) == [(1, ["||".join(parts[1:]), parts[0]])]
    layout = Layout(what="so many", width=len(parts), exact=True, delimiter="||")
    if len(parts) > 2:
        assert list(read_rows(path, layout)) == [(1, parts)]


@given(st.lists(st.sampled_from(["a\tb", "c\td\te", "\t"]), max_size=6), st.booleans(), st.data())
def test_a_short_row_is_named_by_its_line(folder, lines, header, data):
    at = data.draw(st.integers(0, len(lines)))
    lines = [*["x\ty"] * header, *lines[:at], "short", *lines[at:]]
    path = write(folder, "a.tsv", "\n".join(lines))
    layout = Layout(["y"] if header else [2], "a row of a<TAB>b")
    what = "a row with y" if header else "a row of a<TAB>b"
    wrong = f"expected {what} (2 columns or more), found 1; fix or remove the line"
    assert error_of(path, layout) == f":{lines.index('short') + 1}: {wrong}"


A_HEADER = 'a\tb\n"x\ty"\n\n'
ERRORS = {
    "empty": ("", Layout(["a"]), ": the file is empty; fill it or fetch it again"),
    "no column": (
        "a\tb\n",
        Layout(["c"]),
        ":1: the header has no column 'c' (it has a, b); correct",
    ),
    "of csv": (
        "a,b",
        Layout(["c"], delimiter=","),
        "(it has a, b); choose columns of the file, correct the header",
    ),
    "in two": ("a\tb\ta\n", Layout(["a"]), ":1: column 'a' occurs twice in the header, as 1 and 3"),
    "csv, in two": (
        *("a,b,a\n", Layout(["a"], delimiter=",")),
        ":1: column 'a' occurs twice in the header, as 1 and 3; rename or remove one",
    ),
    "id": ("a\tid\n1\t7\n2\t7\n", Layout(["a"], delimiter=None), ":3: id '7' occurs twice; remove"),
    "csv width": ("a,b\n1,2\n3\n", Layout(["a"], delimiter=","), ":3: expected 2 fields as in the"),
    "csv": ('a\n"b\n', Layout([1], delimiter=","), ":2: not valid CSV (unexpected end of data)"),
    "blank": ("a\n1\n\n\n2\n", Layout(["a"]), ":3: expected a row with a (1 columns or more)"),
    "exact": (
        *("a||b||c||d\n", Layout(what="three", width=3, exact=True, delimiter="||")),
        ":1: expected three, found 'a||b||c||d'; fix or remove the line",
    ),
    "number": (
        *("a|b\n", Layout(what="the 3 columns of X", width=3, delimiter="|")),
        ":1: expected the 3 columns of X, found 2; fix or remove the line",
    ),
    "quotes": (A_HEADER, Layout([1], refuse_quoted_tab=True), ":2: a quoted field contains a tab"),
    "header": (
        *("text\tlabel\n", Layout([2, 1], not_header=("a text", "name {first}"))),
        ":1: looks like a header, not a text; name label",
    ),
    "encoding": ("é\n", Layout([1], encoding="ascii"), ":1: not UTF-8 text; convert the file"),
}


@pytest.mark.parametrize(("text", "layout", "message"), ERRORS.values(), ids=ERRORS)
def test_what_is_not_as_the_layout_says_is_one_line(tmp_path, text, layout, message):
    assert message in error_of(write(tmp_path, "rows.tsv", text), layout)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", ["a.tsv", "a.csv", "a.json", "a.jsonl"])
def test_utf_16_is_refused(tmp_path, name, encoding):
    path = tmp_path / name
    path.write_bytes("a\tb\nc\td\n".encode(encoding))
    layout = Layout(["a"], delimiter=None)
    assert error_of(path, layout).startswith((":1: a NUL character", ":1: not UTF-8 text"))


def test_another_encoding_is_that_of_all_forms(tmp_path):
    for name, text in {"a.tsv": "a\tb\né\tè\n", "a.csv": "a,b\né,è\n"}.items():
        (tmp_path / name).write_bytes(text.encode("iso-8859-1"))
        layout = Layout(["b"], delimiter=None, encoding="iso-8859-1")
        assert list(read_rows(tmp_path / name, layout)) == [(2, ["è"])]


def test_what_a_layout_passes_over(tmp_path):
    path = write(tmp_path, "a.tsv", "# b\tno\na\tb\n1\n2\tx\n\n\n")
    is_comment = Layout(["b", "a"], skip=lambda line: line.startswith("#"), keep_short=True)
    assert list(read_rows(path, is_comment)) == [(3, []), (4, ["x", "2"]), (5, []), (6, [])]
    path = write(tmp_path, "b.tsv", "a\tb\n1\t2\n\n\n")
    assert list(read_rows(path, Layout(["a"], optional=["c", "b"]))) == [(2, ["1", "", "2"])]
    whole = Layout(["a"], blank_end=False)
    assert list(read_rows(path, whole)) == [(2, ["1"]), (3, [""]), (4, [""])]

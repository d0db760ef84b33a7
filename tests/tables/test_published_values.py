"""The reference files against both extractions of the paper and its poster."""

import re
from decimal import Decimal
from pathlib import Path

import pytest

from workflow_scripts.errors import UserError
from workflow_scripts.tables.published import read_published

NUMBER = re.compile(r"(?<![\d.])\.\d{3}(?!\d)")
WORDS = ["en", "fr", "et", "ar", "zh", "ru", "es", "pl", "avg"]
LINKING = [
    f"{dataset}@{k}"
    for dataset in ("ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "askapatient", "cometa")
    for k in (1, 5)
]
STS = ["sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr", "avg"]
PAIRS = ["en-fr", "en-it", "en-ru", "en-tr", "it-fr", "ru-fr", "avg"]

# table -> columns, and its rows by the caption of the printed table that holds them, top to bottom
PRINTED = {
    "table01": (
        WORDS,
        {
            "Table 1:": ["fasttext", "bert-mp", "bert-mirror", "mbert-mp", "mbert-mirror"],
            "Table 16:": [
                "fasttext",
                "bert-cls",
                "bert-mp",
                "bert-mirror",
                "mbert-cls",
                "mbert-mp",
                "mbert-mirror",
            ],
        },
    ),
    "table02": (
        LINKING,
        {"Table 2:": ["sapbert", "bert-mp", "bert-mirror", "pubmedbert-mp", "pubmedbert-mirror"]},
    ),
    "table03": (
        STS,
        {
            "Table 3:": [
                "sbert",
                "bert-cls",
                "bert-mp",
                "bert-mirror",
                "bert-mirror-drophead",
                "roberta-cls",
                "roberta-mp",
                "roberta-mirror",
                "roberta-mirror-drophead",
            ]
        },
    ),
    "table06": (
        PAIRS,
        {
            "Table 6:": ["bert-mp", "bert-mirror"],
            "Table 19:": ["bert-cls", "bert-mp", "bert-mirror"],
        },
    ),
}
CASES = [(table, caption) for table, (_, rows) in PRINTED.items() for caption in rows]


@pytest.fixture(scope="session")
def papers(shared_data: Path) -> Path:
    return shared_data.parent / "papers"


def reference(project: Path, table: str) -> dict[tuple[str, str], Decimal]:
    return read_published(project / "config" / "reference" / f"{table}.tsv", table)


def printed_lines(path: Path, caption: str) -> list[list[Decimal]]:
    """Return the values of each line with values, above the caption up to the text before."""
    lines = path.read_text(encoding="utf-8").split("\n")
    end = next(n for n, line in enumerate(lines) if line.startswith(caption))
    found: list[list[Decimal]] = []
    for line in reversed(lines[:end]):
        values = NUMBER.findall(line.replace(". <u>", "<u>."))
        is_prose = len(line) > 150 and len(values) < 5
        if is_prose or line.startswith("Table "):
            break
        if values:
            found.append([Decimal(value) for value in values])
    return found[::-1]


@pytest.mark.shared_data
@pytest.mark.parametrize(("table", "caption"), CASES)
def test_every_cell_is_as_the_paper_prints_it(
    project: Path, papers: Path, table: str, caption: str
) -> None:
    columns, captions = PRINTED[table]
    published = reference(project, table)
    ours = [[published[row, column] for column in columns] for row in captions[caption]]
    assert printed_lines(papers / "mirror-bert.txt", caption) == ours


@pytest.mark.shared_data
@pytest.mark.parametrize(("table", "caption"), [case for case in CASES if case[0] != "table02"])
def test_every_cell_is_as_the_other_extraction_prints_it(
    project: Path, papers: Path, table: str, caption: str
) -> None:
    columns, captions = PRINTED[table]
    published = reference(project, table)
    ours = [[published[row, column] for column in columns] for row in captions[caption]]
    assert printed_lines(papers / "mirror-bert-with-formulas.txt", caption) == ours


@pytest.mark.shared_data
def test_linking_agrees_with_the_extraction_that_joins_two_rows(
    project: Path, papers: Path
) -> None:
    published = reference(project, "table02")

    def pair(first: str, second: str) -> list[Decimal]:
        return [published[row, column] for column in LINKING for row in (first, second)]

    bert = pair("bert-mp", "bert-mirror")
    lost = LINKING.index("bc5cdr-disease@5") * 2
    assert printed_lines(papers / "mirror-bert-with-formulas.txt", "Table 2:") == [
        [published["sapbert", column] for column in LINKING],
        bert[:lost] + bert[lost + 2 :],
        pair("pubmedbert-mp", "pubmedbert-mirror"),
    ]


@pytest.mark.shared_data
def test_poster_differs_in_fasttext_english_and_average_alone(project: Path, papers: Path) -> None:
    poster = papers / "mirror-bert-poster.txt"
    published = reference(project, "table01")
    fasttext, *others = printed_lines(poster, "Table 1:")
    differing = {
        column: (value, published["fasttext", column])
        for column, value in zip(WORDS, fasttext, strict=True)
        if value != published["fasttext", column]
    }
    assert differing == {
        "en": (Decimal(".434"), Decimal(".528")),
        "avg": (Decimal(".450"), Decimal(".461")),
    }
    assert others == [
        [published[row, column] for column in WORDS] for row in ("bert-mp", "bert-mirror")
    ]
    sentences = reference(project, "table03")
    assert printed_lines(poster, "Table 2:") == [
        [sentences[row, column] for column in STS]
        for row in ("sbert", "roberta-mp", "roberta-mirror")
    ]


@pytest.mark.parametrize("table", PRINTED)
def test_reference_has_all_cells_and_no_more(project: Path, table: str) -> None:
    columns, captions = PRINTED[table]
    rows = {row for rows in captions.values() for row in rows}
    assert set(reference(project, table)) == {(row, column) for row in rows for column in columns}


@pytest.mark.parametrize("table", ["table01", "table03", "table06"])
def test_printed_averages_are_the_means_of_their_rows(project: Path, table: str) -> None:
    columns, captions = PRINTED[table]
    published = reference(project, table)
    for row in {row for rows in captions.values() for row in rows}:
        mean = sum(published[row, column] for column in columns[:-1]) / (len(columns) - 1)
        assert abs(mean - published[row, "avg"]) <= Decimal("0.0005"), row


HEADER = "table\trow\tcolumn\tvalue\n"


def test_values_keep_the_digits_that_were_printed(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(HEADER + "t\ta\tb\t0.530\n")
    assert str(read_published(path, "t")["a", "b"]) == "0.530"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.tsv: empty"),
        ("row\tcolumn\tvalue\ttable\n", "t.tsv:1: the header must be"),
        (HEADER + "t\ta\tb\n", "t.tsv:2: expected a row of"),
        (HEADER + "t\ta\tb\t.5\tc\n", "t.tsv:2: more than 4 columns"),
        (HEADER + "u\ta\tb\t.5\n", "t.tsv:2: table `u` in the reference of `t`"),
        (HEADER + "t\ta\tb\tx\n", "t.tsv:2: value `x` is not a number"),
        (HEADER + "t\ta\tb\tnan\n", "t.tsv:2: value `nan` is not a number"),
        (HEADER + "t\ta\tb\t.5\nt\ta\tb\t.6\n", "t.tsv:3: row `a`, column `b` twice"),
    ],
)
def test_malformed_reference_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(text)
    with pytest.raises(UserError) as caught:
        read_published(path, "t")
    assert message in str(caught.value)

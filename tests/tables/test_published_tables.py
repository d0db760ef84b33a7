"""config/reference cell by cell against the printed tables of the paper and its poster.

The tables are parsed out of two extractions of the paper's text. Each table is described once, as
it is printed: its header lines word for word, and the label of each row. Anything else between
header and caption, another number of values, or an unknown label stops the parser.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pytest

from workflow_scripts.tables.published import read_published

Cells = dict[tuple[str, str], Decimal]

PLAIN = "mirror-bert.txt"
FORMULAS = "mirror-bert-with-formulas.txt"
POSTER = "mirror-bert-poster.txt"


class LayoutError(ValueError):
    """The text does not hold the table as it was described."""


@dataclass(frozen=True)
class Printed:
    """A table as mirror-bert.txt prints it.

    `header` are its lines above the first row; `columns` the ids of its columns, from left to
    right; `rows` the label and id of each row, from top to bottom. Where the last column is
    `change`, its cells are signed and a row may lack it.
    """

    header: list[str]
    columns: list[str]
    rows: list[tuple[str, str]]


LANGUAGES = ["en", "fr", "et", "ar", "zh", "ru", "es", "pl", "avg"]
STS = ["sts12", "sts13", "sts14", "sts15", "sts16", "stsb", "sickr", "avg"]
STS_LABELS = "STS12 STS13 STS14 STS15 STS16 STS-b SICK-R avg."
WORD_PAIRS = ["en-fr", "en-zh", "en-he", "fr-zh", "fr-he", "zh-he", "avg"]
LEXICON_PAIRS = ["en-fr", "en-it", "en-ru", "en-tr", "it-fr", "ru-fr", "avg"]
LINKING_SETS = ["ncbi-disease", "bc5cdr-disease", "bc5cdr-chemical", "askapatient", "cometa"]
LINKING = [f"{dataset}@{k}" for dataset in LINKING_SETS for k in (1, 5)]
LEVELS = ["word", "phrase", "sentence"]

RHO = "ρ𝜌\\rho"

PRINTED = {
    "table01": Printed(
        ["lang.\\rightarrow en fr et ar zh ru es pl avg."],
        LANGUAGES,
        [
            ("fastText", "fasttext"),
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("mBERT", "mbert-mp"),
            ("+ Mirror", "mbert-mirror"),
        ],
    ),
    "table02": Printed(
        [
            "scientific language social media language",
            "dataset\\rightarrow model\\downarrow NCBI BC5-d BC5-c AskAPatient COMETA",
            " ".join(["@1@1@1 @5@5@5"] * 5),
        ],
        LINKING,
        [
            ("SapBERT", "sapbert"),
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("PubMedBERT", "pubmedbert-mp"),
            ("+ Mirror", "pubmedbert-mirror"),
        ],
    ),
    "table03": Printed(
        [f"model\\downarrow, dataset\\rightarrow {STS_LABELS}"],
        STS,
        [
            ("SBERT*", "sbert"),
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (drophead)", "bert-mirror-drophead"),
            ("RoBERTa-CLS", "roberta-cls"),
            ("RoBERTa-mp", "roberta-mp"),
            ("+ Mirror", "roberta-mirror"),
            ("+ Mirror (drophead)", "roberta-mirror-drophead"),
        ],
    ),
    "table04": Printed(
        ["model\\downarrow, lang.\\rightarrow es ar ru avg."],
        ["es", "ar", "ru", "avg"],
        [
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("mBERT", "mbert-mp"),
            ("+ Mirror", "mbert-mirror"),
        ],
    ),
    "table05": Printed(
        ["lang.\\rightarrow en-fr en-zh en-he fr-zh fr-he zh-he avg."],
        WORD_PAIRS,
        [("mBERT", "mbert-mp"), ("+ Mirror", "mbert-mirror")],
    ),
    "table06": Printed(
        ["lang.\\rightarrow en-fr en-it en-ru en-tr it-fr ru-fr avg."],
        LEXICON_PAIRS,
        [("BERT", "bert-mp"), ("+ Mirror", "bert-mirror")],
    ),
    "table07": Printed(
        [f"model configuration avg. {RHO}"],
        ["avg", "change"],
        [
            ("RoBERTa + Mirror", "roberta-mirror"),
            ("- dropout + drophead", "roberta-mirror-drophead"),
            ("- dropout", "roberta-no-dropout"),
            ("- span mask", "roberta-no-masking"),
            ("- dropout & span mask", "roberta-no-augmentation"),
        ],
    ),
    "table08": Printed(
        [f"model configuration (MLM=RoBERTa) {RHO} on STS12"],
        ["sts12", "change"],
        [
            ("random span masking ✗; dropout ✗", "roberta-no-augmentation"),
            ("random span masking ✗; dropout ✓", "roberta-no-masking"),
            ("random span masking ✗; controlled dropout ✓", "roberta-controlled-dropout"),
        ],
    ),
    "table09": Printed(
        ["level\\rightarrow word phrase sentence"],
        LEVELS,
        [
            ("BERT", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (w/o aug.)", "bert-no-augmentation"),
        ],
    ),
    "table10": Printed(
        [f"model {RHO}"],
        ["en"],
        [
            ("fastText", "fasttext"),
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (random string)", "random-strings"),
            ("+ Mirror (random string, lr 5e-5)", "random-strings-lr"),
        ],
    ),
    "table12": Printed(
        ["dropout rate\\rightarrow 0.05 0.1 0.2 0.3 0.4"],
        ["0.05", "0.1", "0.2", "0.3", "0.4"],
        [("BERT + Mirror", "bert-mirror"), ("RoBERTa + Mirror", "roberta-mirror")],
    ),
    "table13": Printed(
        ["random span mask rate\\rightarrow 2 5 10 15 20"],
        ["2", "5", "10", "15", "20"],
        [("BERT + Mirror", "bert-mirror"), ("RoBERTa + Mirror", "roberta-mirror")],
    ),
    "table14": Printed(
        [
            "level\\rightarrow model\\downarrow word phrase sentence",
            "MVN IS MVN IS MVN IS",
        ],
        [f"{level}-{measure}" for level in LEVELS for measure in ("mvn", "is")],
        [
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("+ Mirror (w/o aug.)", "bert-no-augmentation"),
        ],
    ),
    "table16": Printed(
        ["language\\rightarrow en fr et ar zh ru es pl avg."],
        LANGUAGES,
        [
            ("fastText", "fasttext"),
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("mBERT-CLS", "mbert-cls"),
            ("mBERT-mp", "mbert-mp"),
            ("+ Mirror", "mbert-mirror"),
        ],
    ),
    "table17": Printed(
        ["model\\downarrow, lang.\\rightarrow es ar ru avg."],
        ["es", "ar", "ru", "avg"],
        [
            ("BERT-CLS", "bert-cls"),
            ("BERT-mp", "bert-mp"),
            ("+ Mirror", "bert-mirror"),
            ("mBERT-CLS", "mbert-cls"),
            ("mBERT-mp", "mbert-mp"),
            ("+ Mirror", "mbert-mirror"),
        ],
    ),
    "table18": Printed(
        ["lang.\\rightarrow en-fr en-zh en-he fr-zh fr-he zh-he avg."],
        WORD_PAIRS,
        [("mBERT-CLS", "mbert-cls"), ("mBERT-mp", "mbert-mp"), ("+ Mirror", "mbert-mirror")],
    ),
    "table19": Printed(
        ["lang.\\rightarrow en-fr en-it en-ru en-tr it-fr ru-fr avg."],
        LEXICON_PAIRS,
        [("BERT-CLS", "bert-cls"), ("BERT-mp", "bert-mp"), ("+ Mirror", "bert-mirror")],
    ),
    "table20": Printed(
        [f"model configuration\\downarrow, dataset\\rightarrow {STS_LABELS}"],
        [*STS, "change"],
        [
            ("BERT + Mirror", "bert-mirror"),
            ("- dropout", "bert-no-dropout"),
            ("- random span masking", "bert-no-masking"),
            ("- dropout & random span masking", "bert-no-augmentation"),
            ("RoBERTa + Mirror", "roberta-mirror"),
            ("- dropout", "roberta-no-dropout"),
            ("- random span masking", "roberta-no-masking"),
            ("- dropout & random span masking", "roberta-no-augmentation"),
        ],
    ),
}

GRID = {
    "learning_rate": "learning rate",
    "batch_size": "batch size",
    "epochs": "training epochs",
    "temperature": "τ𝜏\\tau in Equation 1",
}
CHOSEN = [f"chosen-{level}" for level in LEVELS]


@pytest.fixture(scope="session")
def papers(shared_data: Path) -> Path:
    return shared_data.parent / "papers"


def text_of(papers: Path, name: str) -> str:
    return (papers / name).read_text(encoding="utf-8")


def reference(project: Path, table: str) -> Cells:
    return read_published(project / "config" / "reference" / f"{table}.tsv", table)


def column_values(cells: Cells, row: str, columns: list[str]) -> list[Decimal]:
    return [cells[row, column] for column in columns]


# ---- mirror-bert.txt -----------------------------------------------------------------------------

# .764 .011absent.011{\uparrow.011} in running tables, .726↓.018 in Table 20
ARROW = re.compile(
    r"(?P<plain>\.\d{3})absent(?P=plain)\{\\(?P<name>up|down)arrow(?P=plain)\}"
    r"|(?P<sign>[↑↓])(?P<after>\.\d{3})"
)
VALUE = re.compile(r"\d*\.\d+")
CHANGE = re.compile(r"[+-]\.\d{3}")


def signed_change(arrow: re.Match) -> str:
    """Return an arrow with its amount as a number with a sign, set off by a space."""
    upwards = arrow["name"] == "up" or arrow["sign"] == "↑"
    return f" {'+' if upwards else '-'}{arrow['plain'] or arrow['after']}"


def lines_above_caption(text: str, table: str, count: int) -> list[str]:
    """Return the `count` lines above the table's one caption."""
    lines = text.split("\n")
    caption = f"Table {int(table.removeprefix('table'))}: "
    found = [at for at, line in enumerate(lines) if line.startswith(caption)]
    if len(found) != 1:
        raise LayoutError(f"{len(found)} captions `{caption}`")
    return lines[max(0, found[0] - count) : found[0]]


def parse_row(line: str, label: str, columns: list[str]) -> dict[str, Decimal]:
    """Return the values of a printed row by column."""
    line = ARROW.sub(signed_change, line.removeprefix("\\hdashline").strip())
    if not line.startswith(f"{label} "):
        raise LayoutError(f"`{line}` where the row `{label}` was expected")
    values = line.removeprefix(label).split()
    if columns[-1] == "change" and len(values) == len(columns) - 1:
        columns = columns[:-1]
    if len(values) != len(columns):
        raise LayoutError(f"`{line}`: {len(values)} values for {len(columns)} columns")
    for column, value in zip(columns, values, strict=True):
        if not (CHANGE if column == "change" else VALUE).fullmatch(value):
            raise LayoutError(f"`{line}`: `{value}` is no value of column `{column}`")
    return {column: Decimal(value) for column, value in zip(columns, values, strict=True)}


def parse_table(text: str, table: str, printed: Printed) -> Cells:
    """Return the cells of a table of mirror-bert.txt, where the caption follows the table.

    Raises `LayoutError` unless exactly the described header and rows stand above the caption.
    """
    height = len(printed.header)
    lines = lines_above_caption(text, table, height + len(printed.rows))
    if lines[:height] != printed.header:
        raise LayoutError(f"{table}: header {lines[:height]} instead of {printed.header}")
    cells: Cells = {}
    for line, (label, row) in zip(lines[height:], printed.rows, strict=True):
        for column, value in parse_row(line, label, printed.columns).items():
            cells[row, column] = value
    return cells


def parse_grid(text: str) -> Cells:
    """Return the grid of Table 21 of mirror-bert.txt, which has lost the marks of chosen values."""
    # a no-break space stands in "Equation 1"
    text = text.replace("\N{NO-BREAK SPACE}", " ")
    header, *lines = lines_above_caption(text, "table21", 1 + len(GRID))
    if header != "hyperparameters search space":
        raise LayoutError(f"table21: header `{header}`")
    cells: Cells = {}
    for line, (row, label) in zip(lines, GRID.items(), strict=True):
        found = re.fullmatch(re.escape(label) + r" \{([0-9.e-]+(?:, [0-9.e-]+)*)\}", line)
        if not found:
            raise LayoutError(f"table21: `{line}` where `{label} {{...}}` was expected")
        for number, value in enumerate(found[1].split(", "), start=1):
            cells[row, f"value{number}"] = Decimal(value)
    return cells


@pytest.mark.shared_data
@pytest.mark.parametrize("table", PRINTED)
def test_every_cell_is_as_the_paper_prints_it_and_there_is_no_other(
    project: Path, papers: Path, table: str
) -> None:
    assert reference(project, table) == parse_table(text_of(papers, PLAIN), table, PRINTED[table])


@pytest.mark.shared_data
def test_the_grid_of_table_21_is_as_printed(project: Path, papers: Path) -> None:
    cells = reference(project, "table21")
    grid = {key: value for key, value in cells.items() if key[1] not in CHOSEN}
    assert grid == parse_grid(text_of(papers, PLAIN))
    assert set(cells) - set(grid) == {(row, column) for row in GRID for column in CHOSEN}


# section 3, as extracted: formulas stand three times
CHOSEN_IN_TEXT = {
    "is 0.040.040.04 (biomedical and sentence-level models); 0.20.20.2 (word-level)": {
        "temperature": ("0.2", "0.04", "0.04")
    },
    "All lexical models are trained for 2 epochs, max token length is 25. "
    "Sentence-level models are trained for 1 epoch": {"epochs": ("2", "2", "1")},
    "with a learning rate of 2e-5, batch size of 200 (400 after duplication)": {
        "learning_rate": ("2e-5", "2e-5", "2e-5"),
        "batch_size": ("200", "200", "200"),
    },
}


@pytest.mark.shared_data
def test_chosen_values_of_the_grid_are_those_of_the_text(project: Path, papers: Path) -> None:
    cells = reference(project, "table21")
    text = text_of(papers, PLAIN)
    checked = set()
    for sentence, rows in CHOSEN_IN_TEXT.items():
        assert text.count(sentence) == 1, sentence
        for row, values in rows.items():
            assert column_values(cells, row, CHOSEN) == [Decimal(value) for value in values]
            checked.add(row)
    assert checked == set(GRID)


@pytest.mark.shared_data
@pytest.mark.parametrize("name", [PLAIN, FORMULAS])
def test_figure_4_has_the_values_that_the_text_prints(
    project: Path, papers: Path, name: str
) -> None:
    # emphasis and the breaks of lines differ between the extractions
    text = re.sub(r"\s+", " ", text_of(papers, name).replace("*", ""))
    better = re.search(
        r"The RoBERTa\+Mirror variant even shows a slight edge over the supervised SBERT model "
        r"\((\.\d{3}) vs\. (\.\d{3})\)",
        text,
    )
    worse = re.search(
        r"porting BERT\+Mirror trained on STS data to QNLI results in AUC drops from "
        r"(\.\d{3}) to (\.\d{3})",
        text,
    )
    rows = ["roberta-mirror", "sbert", "bert-mirror", "bert-mirror-sts"]
    values = map(Decimal, better.groups() + worse.groups())
    assert reference(project, "figure04") == {
        (row, "auc"): value for row, value in zip(rows, values, strict=True)
    }


EXAMPLE = Printed(["model x y"], ["x", "avg", "change"], [("A", "a"), ("+ B", "b")])
EXAMPLE_TEXT = "prose\nmodel x y\nA .1 .2\n\\hdashline+ B 2.3 .4↓.100\nTable 1: words\nmore"


def test_parser_reads_rows_values_and_changes() -> None:
    assert parse_table(EXAMPLE_TEXT, "table01", EXAMPLE) == {
        ("a", "x"): Decimal(".1"),
        ("a", "avg"): Decimal(".2"),
        ("b", "x"): Decimal("2.3"),
        ("b", "avg"): Decimal(".4"),
        ("b", "change"): Decimal("-.1"),
    }


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Table 1: words", "Table 2: words", "0 captions"),
        ("more", "Table 1: again", "2 captions"),
        ("model x y", "model y x", "header"),
        ("A .1 .2\n", "A .1 .2\nA .1 .2\n", "header"),
        ("A .1 .2\n", "", "header"),
        ("A .1", "C .1", "`C .1 .2` where the row `A` was expected"),
        ("A .1 .2", "A .1", "1 values for 3 columns"),
        ("A .1 .2", "A .1 .2 .3 .4", "4 values for 3 columns"),
        ("A .1 .2", "A 1 .2", "`1` is no value of column `x`"),
        (".4↓.100", "↓.100 .4", "is no value of column"),
        ("↓.100", " .100", "`.100` is no value of column `change`"),
    ],
)
def test_parser_stops_at_another_layout(old: str, new: str, message: str) -> None:
    assert old in EXAMPLE_TEXT
    with pytest.raises(LayoutError, match=re.escape(message)):
        parse_table(EXAMPLE_TEXT.replace(old, new, 1), "table01", EXAMPLE)


# ---- mirror-bert-with-formulas.txt ---------------------------------------------------------------

# rows that this extraction puts on one line, with the values of all of them in each cell
JOINED = {
    "table02": [("bert-mp", "bert-mirror"), ("pubmedbert-mp", "pubmedbert-mirror")],
    "table10": [("bert-cls", "bert-mp", "bert-mirror", "random-strings", "random-strings-lr")],
    "table13": [("bert-mirror", "roberta-mirror")],
    "table18": [("mbert-cls", "mbert-mp")],
}
# printed cells that cannot be read there, as they stand; the change of a row is in its last cell
UNREADABLE = {
    ("table02", "bert-mp"): {"bc5cdr-disease@5": ""},
    ("table05", "mbert-mp"): {"en-fr": ""},
    ("table05", "mbert-mirror"): {"en-fr": ""},
    ("table07", "roberta-no-dropout"): {"avg": "7.732 -.021"},
    ("table07", "roberta-no-augmentation"): {"avg": ".682 \\ .071"},
    ("table13", "bert-mirror"): dict.fromkeys(["2", "5", "15", "20"], ""),
    ("table14", "bert-mp"): dict.fromkeys(
        ["word-mvn", "word-is", "phrase-mvn", "phrase-is", "sentence-is"], ""
    ),
    ("table20", "bert-no-dropout"): {"avg": ".726018"},
    ("table20", "roberta-no-dropout"): {"sts16": "777 -", "avg": ".732,.021"},
}
# heading of the columns where it is not made of their ids
HEADINGS = {
    "table02": ["@1", "@5"] * 5,
    "table07": ["avg. ρ"],
    "table08": ["ρ on STS12"],
    "table10": ["ρ"],
    "table14": ["MVN", "IS"] * 3,
}


def plain_cell(cell: str) -> str:
    r"""Return a cell without markup, its arrow as a sign: `$.717_{\downarrow.036}$` as .717 -.036.

    The underline of one cell stands behind the point.
    """
    cell = cell.replace(". <u>", "<u>.").replace("<u>", "").replace("</u>", "")
    for arrow, sign in (("\\uparrow", "+"), ("↑", "+"), ("\\downarrow", "-"), ("↓", "-")):
        cell = re.sub(rf"[ _{{]*{re.escape(arrow)} *", f" {sign}", cell)
    return re.sub(r"[${}]", "", cell).strip()


def block_above_caption(text: str, table: str) -> list[list[str]]:
    """Return the tab-separated lines between the table's one caption and the blank line above."""
    caption = f"\nTable {int(table.removeprefix('table'))}: "
    if text.count(caption) != 1:
        raise LayoutError(f"{text.count(caption)} captions `{caption.strip()}`")
    block = text.split(caption)[0].rstrip("\n").split("\n\n")[-1]
    return [line.split("\t") for line in block.split("\n")]


def is_heading(heading: list[str], table: str, columns: list[str]) -> bool:
    """Tell whether the labels of a heading are those of the columns."""
    expected = HEADINGS.get(table)
    if expected is None:
        heading = [re.sub(r"-|[.*]$", "", label).lower() for label in heading]
        expected = [column.replace("-", "") for column in columns]
    return heading == expected


def parse_joined(text: str, table: str, printed: Printed) -> tuple[Cells, dict]:
    """Return the cells of a table that can be read, and the others as they stand, by row.

    Raises `LayoutError` where headings, labels or the number of values of a cell are others.
    """
    groups: list[list[tuple[str, str]]] = []
    joined = {row: group for group in JOINED.get(table, []) for row in group}
    for label, row in printed.rows:
        if groups and joined.get(row, (row,))[0] != row:
            groups[-1].append((label.replace("✗", "X"), row))
        else:
            groups.append([(label.replace("✗", "X"), row)])
    columns = [column for column in printed.columns if column != "change"]

    block = block_above_caption(text, table)
    height = len(block) - len(groups)
    if height != len(printed.header):
        raise LayoutError(f"{table}: {height} lines of headings")
    if not is_heading([label for label in block[height - 1][1:] if label], table, columns):
        raise LayoutError(f"{table}: headings {block[height - 1]}")

    cells: Cells = {}
    unreadable: dict[tuple[str, str], dict[str, str]] = {}
    for fields, group in zip(block[height:], groups, strict=True):
        expected = " ".join(label for label, _ in group)
        if fields[0] != expected or any(fields[len(columns) + 1 :]):
            raise LayoutError(f"{table}: {fields} where `{expected}` was expected")
        fields += [""] * (len(columns) + 1 - len(fields))
        for column, field in zip(columns, map(plain_cell, fields[1:]), strict=False):
            keys = [(row, column) for _, row in group]
            if len(group) == 1 and column == columns[-1] and "change" in printed.columns:
                keys.append((group[0][1], "change"))
            if field in UNREADABLE.get((table, group[0][1]), {}).get(column, "none"):
                unreadable.setdefault((table, group[0][1]), {})[column] = field
                continue
            values = field.split(" ")
            if keys[-1][1] == "change" and len(values) == 1:
                keys.pop()
            if len(values) != len(keys):
                raise LayoutError(f"{table}: `{field}` for {keys}")
            for key, value in zip(keys, values, strict=True):
                if not (CHANGE if key[1] == "change" else VALUE).fullmatch(value):
                    raise LayoutError(f"{table}: `{value}` is no value of {key}")
                cells[key] = Decimal(value)
    return cells, unreadable


def unreadable_keys(table: str) -> set[tuple[str, str]]:
    """Return the (row, column) pairs that the printed cells of `UNREADABLE` would give."""
    keys = set()
    for (name, first), found in UNREADABLE.items():
        if name == table:
            rows = next((g for g in JOINED.get(table, []) if g[0] == first), (first,))
            keys |= {(row, column) for row in rows for column in found}
            if "change" in PRINTED[table].columns and "avg" in found:
                keys.add((first, "change"))
    return keys


@pytest.mark.shared_data
@pytest.mark.parametrize("table", PRINTED)
def test_every_cell_that_the_other_extraction_has_is_the_same(
    project: Path, papers: Path, table: str
) -> None:
    cells, unreadable = parse_joined(text_of(papers, FORMULAS), table, PRINTED[table])
    assert unreadable == {key: found for key, found in UNREADABLE.items() if key[0] == table}
    published = reference(project, table)
    lost = unreadable_keys(table)
    assert lost <= set(published)
    assert cells == {key: value for key, value in published.items() if key not in lost}


@pytest.mark.shared_data
def test_stars_of_the_other_extraction_mark_the_chosen_values(project: Path, papers: Path) -> None:
    cells = reference(project, "table21")
    heading, *lines = block_above_caption(text_of(papers, FORMULAS), "table21")
    assert heading == ["hyperparameters", "search space"]
    for row, (_, grid) in zip(GRID, lines, strict=True):
        values = re.sub(r"[${}\\ ^]", "", grid).split(",")
        assert [Decimal(value.rstrip("*")) for value in values] == [
            value for (name, column), value in cells.items() if name == row and column not in CHOSEN
        ]
        starred = {Decimal(value.rstrip("*")) for value in values if value.endswith("*")}
        assert set(column_values(cells, row, CHOSEN)) == starred


# ---- poster --------------------------------------------------------------------------------------


@pytest.mark.shared_data
def test_the_poster_differs_in_fasttext_in_english_alone(project: Path, papers: Path) -> None:
    text = text_of(papers, POSTER)

    def rows_of(table: str, count: int) -> list[list[Decimal]]:
        block = block_above_caption(text, table)[-count:]
        return [[Decimal(value) for value in values] for _, *values in block]

    def ours(table: str, columns: list[str], *rows: str) -> list[list[Decimal]]:
        cells = reference(project, table)
        return [column_values(cells, row, columns) for row in rows]

    fasttext, *words = rows_of("table01", 3)
    [published] = ours("table01", LANGUAGES, "fasttext")
    differing = {
        column: (str(theirs), str(value))
        for column, theirs, value in zip(LANGUAGES, fasttext, published, strict=True)
        if theirs != value
    }
    assert differing == {"en": ("0.434", "0.528"), "avg": ("0.450", "0.461")}
    assert words == ours("table01", LANGUAGES, "bert-mp", "bert-mirror")
    assert rows_of("table02", 3) == ours("table03", STS, "sbert", "roberta-mp", "roberta-mirror")
    fasttext, *random_strings = rows_of("table03", 4)
    assert fasttext == [Decimal(".434")]
    assert random_strings == ours("table10", ["en"], "bert-mp", "bert-mirror", "random-strings-lr")


# ---- the files alone -----------------------------------------------------------------------------

FILES = sorted([*PRINTED, "table21", "figure04"])
ROW_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
COLUMN_ID = re.compile(r"[a-z0-9@.-]+")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-\d)?")


def test_there_is_one_file_for_each_table_and_figure(project: Path) -> None:
    found = sorted(path.name for path in (project / "config" / "reference").iterdir())
    assert found == ["README.md", *(f"{name}.tsv" for name in FILES)]


@pytest.mark.parametrize("name", FILES)
def test_files_are_well_formed(project: Path, name: str) -> None:
    path = project / "config" / "reference" / f"{name}.tsv"
    assert reference(project, name)
    text = path.read_bytes().decode("ascii")
    assert text.endswith("\n") and not text.endswith("\n\n") and "\r" not in text
    for line in text.split("\n")[1:-1]:
        _, row, column, value = line.split("\t")
        assert ROW_ID.fullmatch(row) and COLUMN_ID.fullmatch(column), line
        assert NUMBER.fullmatch(value), line


@pytest.mark.parametrize("name", FILES)
def test_files_have_the_rows_and_columns_of_their_table(project: Path, name: str) -> None:
    if name in PRINTED:
        printed = PRINTED[name]
        keys = {(row, column) for _, row in printed.rows for column in printed.columns}
        # the first row of an ablation has nothing to differ from
        firsts = {row for label, row in printed.rows if not label.startswith(("-", "random"))}
        firsts |= {printed.rows[0][1]}
        keys -= {(row, "change") for row in firsts}
        assert set(reference(project, name)) == keys


# printed averages that are not the mean of their row to the last digit
AVERAGES_OFF = {("table04", "bert-mp"): ("0.533", "0.535")}


def test_printed_averages_are_the_means_of_their_rows_but_for_one(project: Path) -> None:
    off = {}
    for table, printed in PRINTED.items():
        if "avg" not in printed.columns[1:]:
            continue
        columns = printed.columns[: printed.columns.index("avg")]
        cells = reference(project, table)
        for _, row in printed.rows:
            mean = sum(column_values(cells, row, columns)) / len(columns)
            # half a digit at most, so that a mean that ends in 5 may be rounded either way
            if abs(mean - cells[row, "avg"]) > Decimal("0.0005"):
                off[table, row] = (str(cells[row, "avg"]), str(round(mean, 3)))
    assert off == AVERAGES_OFF


@pytest.mark.parametrize(
    ("table", "column", "bases"),
    [
        ("table07", "avg", ["roberta-mirror"]),
        ("table08", "sts12", ["roberta-no-augmentation"]),
        ("table20", "avg", ["bert-mirror", "roberta-mirror"]),
    ],
)
def test_changes_are_the_differences_to_the_row_without_one(
    project: Path, table: str, column: str, bases: list[str]
) -> None:
    cells = reference(project, table)
    rows = [row for _, row in PRINTED[table].rows]
    assert [row for row in rows if (row, "change") not in cells] == bases
    base = Decimal(0)
    for row in rows:
        if row in bases:
            base = cells[row, column]
        else:
            assert cells[row, "change"] == cells[row, column] - base, row


def differing(one: Cells, other: Cells) -> dict[tuple[str, str], tuple[str, str]]:
    shared = one.keys() & other.keys()
    assert shared
    return {key: (str(one[key]), str(other[key])) for key in shared if one[key] != other[key]}


@pytest.mark.parametrize(
    ("short", "full"),
    [("table01", "table16"), ("table05", "table18"), ("table06", "table19")],
)
def test_full_tables_repeat_the_short_ones(project: Path, short: str, full: str) -> None:
    assert reference(project, short).keys() <= reference(project, full).keys()
    assert not differing(reference(project, short), reference(project, full))


def test_full_table_of_other_languages_has_another_average(project: Path) -> None:
    assert differing(reference(project, "table04"), reference(project, "table17")) == {
        ("bert-mp", "avg"): ("0.533", "0.535")
    }


def test_isotropy_scores_are_those_of_the_full_table(project: Path) -> None:
    full = reference(project, "table14")
    for (row, level), value in reference(project, "table09").items():
        assert full[row, f"{level}-is"] == value


def test_where_the_paper_repeats_sentence_scores_they_are_the_same_but_for_these(
    project: Path,
) -> None:
    main = reference(project, "table03")
    ablation = reference(project, "table20")
    assert differing(main, ablation) == {
        ("bert-mirror", "sts12"): ("0.670", "0.674"),
        ("bert-mirror", "sts13"): ("0.801", "0.796"),
        ("bert-mirror", "sts15"): ("0.812", "0.814"),
        ("bert-mirror", "sickr"): ("0.699", "0.703"),
        ("bert-mirror", "avg"): ("0.743", "0.744"),
        ("roberta-mirror", "sts12"): ("0.646", "0.648"),
        ("roberta-mirror", "sts13"): ("0.818", "0.819"),
        ("roberta-mirror", "sts14"): ("0.734", "0.732"),
        ("roberta-mirror", "sts15"): ("0.802", "0.798"),
        ("roberta-mirror", "sts16"): ("0.782", "0.780"),
        ("roberta-mirror", "sickr"): ("0.703", "0.706"),
    }
    averages = reference(project, "table07")
    assert not differing(averages, ablation)
    assert averages["roberta-mirror-drophead", "avg"] == main["roberta-mirror-drophead", "avg"]
    for table, default in (("table12", "0.1"), ("table13", "5")):
        for row in ("bert-mirror", "roberta-mirror"):
            assert reference(project, table)[row, default] == main[row, "avg"]
    probe = {
        key: value for key, value in reference(project, "table08").items() if key[1] == "sts12"
    }
    # .648 is what Table 20 has with both augmentations
    assert differing(probe, ablation) == {("roberta-no-masking", "sts12"): ("0.648", "0.616")}
    assert ablation["roberta-mirror", "sts12"] == probe["roberta-no-masking", "sts12"]


def test_random_strings_stand_among_the_word_scores(project: Path) -> None:
    words = reference(project, "table16")
    for row in ("fasttext", "bert-cls", "bert-mp", "bert-mirror"):
        assert reference(project, "table10")[row, "en"] == words[row, "en"]

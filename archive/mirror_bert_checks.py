"""What is held against the cells of the paper of Mirror-BERT: a second extraction, the poster, and
where the paper repeats itself or disagrees with itself."""

import re
from decimal import Decimal

from mirror_bert_layout import CHOSEN, GRID, LANGUAGES, PRINTED, STS
from printed_tables import CHANGE, VALUE, Cells, LayoutError, Printed, require


def parse_figure04(text: str) -> Cells:
    """Return the areas under the curves of Figure 4 that the text prints."""
    # emphasis and the breaks of lines differ between the extractions
    text = re.sub(r"\s+", " ", text.replace("*", ""))
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
    if not better or not worse:
        raise LayoutError("figure04: its sentences are not in the text")
    rows = ["roberta-mirror", "sbert", "bert-mirror", "bert-mirror-sts"]
    values = [*better.groups(), *worse.groups()]
    return {(row, "auc"): Decimal(value) for row, value in zip(rows, values, strict=True)}


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


def check_formulas(tables: dict[str, Cells], text: str) -> None:
    """Hold every cell that the other extraction has against those of the paper's text."""
    for table, printed in PRINTED.items():
        cells, unreadable = parse_joined(text, table, printed)
        known = {key: found for key, found in UNREADABLE.items() if key[0] == table}
        require(unreadable == known, f"{table}: cells that cannot be read are {unreadable}")
        lost = unreadable_keys(table)
        require(lost <= set(tables[table]), f"{table}: no such cells as {lost}")
        readable = {key: value for key, value in tables[table].items() if key not in lost}
        require(cells == readable, f"{table}: another value in the other extraction")
    require(parse_figure04(text) == tables["figure04"], "figure04: another value")
    cells = tables["table21"]
    heading, *lines = block_above_caption(text, "table21")
    require(heading == ["hyperparameters", "search space"], f"table21: heading {heading}")
    for row, (_, grid) in zip(GRID, lines, strict=True):
        values = re.sub(r"[${}\\ ^]", "", grid).split(",")
        ours = [value for (name, column), value in cells.items() if name == row]
        found = [Decimal(value.rstrip("*")) for value in values]
        require(found == ours[: -len(CHOSEN)], f"table21: other values of {row}")
        starred = {Decimal(value.rstrip("*")) for value in values if value.endswith("*")}
        require(set(ours[-len(CHOSEN) :]) == starred, f"table21: other stars of {row}")


# ---- poster --------------------------------------------------------------------------------------


def check_poster(tables: dict[str, Cells], text: str) -> None:
    """Hold the poster against the paper: it differs in fastText in English alone."""

    def theirs(table: str, count: int) -> list[list[Decimal]]:
        block = block_above_caption(text, table)[-count:]
        return [[Decimal(value) for value in values] for _, *values in block]

    def ours(table: str, columns: list[str], *rows: str) -> list[list[Decimal]]:
        return [[tables[table][row, column] for column in columns] for row in rows]

    fasttext, *words = theirs("table01", 3)
    [published] = ours("table01", LANGUAGES, "fasttext")
    other = {
        column: (str(value), str(printed))
        for column, value, printed in zip(LANGUAGES, fasttext, published, strict=True)
        if value != printed
    }
    require(other == {"en": ("0.434", "0.528"), "avg": ("0.450", "0.461")}, f"poster: {other}")
    require(words == ours("table01", LANGUAGES, "bert-mp", "bert-mirror"), "poster: words")
    sentences = ours("table03", STS, "sbert", "roberta-mp", "roberta-mirror")
    require(theirs("table02", 3) == sentences, "poster: sentences")
    fasttext, *strings = theirs("table03", 4)
    require(fasttext == [Decimal(".434")], "poster: fastText")
    rows = ("bert-mp", "bert-mirror", "random-strings-lr")
    require(strings == ours("table10", ["en"], *rows), "poster: random strings")


# ---- where the paper disagrees with itself -------------------------------------------------------

# printed averages that are not the mean of their row to the last digit
AVERAGES_OFF = {("table04", "bert-mp"): ("0.533", "0.535")}
# column that `change` is of, and the rows that have none
CHANGES = {
    "table07": ("avg", ["roberta-mirror"]),
    "table08": ("sts12", ["roberta-no-augmentation"]),
    "table20": ("avg", ["bert-mirror", "roberta-mirror"]),
}
# cells that two tables share, and those that differ
REPEATED: dict[tuple[str, str], dict[tuple[str, str], tuple[str, str]]] = {
    ("table01", "table16"): {},
    ("table05", "table18"): {},
    ("table06", "table19"): {},
    ("table04", "table17"): {("bert-mp", "avg"): ("0.533", "0.535")},
    ("table03", "table20"): {
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
    },
    ("table07", "table20"): {},
    ("table10", "table16"): {},
}


def check_statements(tables: dict[str, Cells]) -> None:
    """Hold averages, changes and repeated cells against each other, but for the known ones."""
    off = {}
    for table, printed in PRINTED.items():
        cells = tables[table]
        rows = [row for _, row in printed.rows]
        if "avg" in printed.columns[1:]:
            columns = printed.columns[: printed.columns.index("avg")]
            for row in rows:
                mean = sum(cells[row, column] for column in columns) / len(columns)
                # half a digit at most, so that a mean that ends in 5 may be rounded either way
                if abs(mean - cells[row, "avg"]) > Decimal("0.0005"):
                    off[table, row] = (str(cells[row, "avg"]), str(round(mean, 3)))
        if "change" in printed.columns:
            column, bases = CHANGES[table]
            lacking = [row for row in rows if (row, "change") not in cells]
            require(lacking == bases, f"{table}: rows without a change {lacking}")
            base = Decimal(0)
            for row in rows:
                base = cells[row, column] if row in bases else base
                change = cells.get((row, "change"), Decimal(0))
                require(change == cells[row, column] - base, f"{table}: change of {row}")
    require(off == AVERAGES_OFF, f"averages that are not the means of their rows: {off}")
    for (one, other), known in REPEATED.items():
        found = differing(tables[one], tables[other])
        require(found == known, f"{one} and {other} differ in {found}")
    main, ablation, probe = tables["table03"], tables["table20"], tables["table08"]
    for row, level in tables["table09"]:
        same = tables["table14"][row, f"{level}-is"] == tables["table09"][row, level]
        require(same, f"table09 and table14 differ in {row}, {level}")
    drophead = ("roberta-mirror-drophead", "avg")
    require(tables["table07"][drophead] == main[drophead], "table03 and table07: drophead")
    for table, default in (("table12", "0.1"), ("table13", "5")):
        for row in ("bert-mirror", "roberta-mirror"):
            require(tables[table][row, default] == main[row, "avg"], f"{table}: {row}")
    # .648 is what Table 20 has with both augmentations
    sts12 = {key: value for key, value in probe.items() if key[1] == "sts12"}
    other = {("roberta-no-masking", "sts12"): ("0.648", "0.616")}
    require(differing(sts12, ablation) == other, "table08 and table20 differ otherwise")
    both = ablation["roberta-mirror", "sts12"]
    require(both == probe["roberta-no-masking", "sts12"], "table08: STS12 without masking")


def differing(one: Cells, other: Cells) -> dict[tuple[str, str], tuple[str, str]]:
    """Return the values of the cells that two tables share where they differ."""
    shared = one.keys() & other.keys()
    require(bool(shared), "tables that share no cell")
    return {key: (str(one[key]), str(other[key])) for key in shared if one[key] != other[key]}

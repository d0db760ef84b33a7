"""The cells of all tables of the paper of Mirror-BERT, parsed out of its text and frozen.

    python archive/parse_mirror_bert_tables.py --paper mirror-bert.txt \\
      --formulas mirror-bert-with-formulas.txt --poster mirror-bert-poster.txt \\
      --output tests/tables/published_cells.tsv

What is written comes from the paper's text alone. `--formulas`, another extraction of the text, and
`--poster` are held against it, as is what config/reference/mirror-bert/README.md says of where the
paper disagrees with itself: anything new stops the tool with a `LayoutError`.
"""

import argparse
import re
from decimal import Decimal
from pathlib import Path

from mirror_bert_checks import check_formulas, check_poster, check_statements, parse_figure04
from mirror_bert_layout import CHOSEN, GRID, PRINTED
from printed_tables import Cells, LayoutError, freeze, lines_above_caption, parse_table, require


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


def parse_choices(text: str) -> Cells:
    """Return the chosen values of the grid, which the text tells in section 3."""
    cells: Cells = {}
    for sentence, rows in CHOSEN_IN_TEXT.items():
        require(text.count(sentence) == 1, f"`{sentence}` is not in the text once")
        for row, values in rows.items():
            cells |= {(row, column): Decimal(v) for column, v in zip(CHOSEN, values, strict=True)}
    return cells


def parse_paper(text: str) -> dict[str, Cells]:
    """Return the cells of all tables, of Figure 4 and of the grid."""
    tables = {table: parse_table(text, table, printed) for table, printed in PRINTED.items()}
    tables["figure04"] = parse_figure04(text)
    grid, chosen = parse_grid(text), parse_choices(text)
    tables["table21"] = {}
    for row in GRID:
        tables["table21"] |= {key: value for key, value in grid.items() if key[0] == row}
        tables["table21"] |= {key: value for key, value in chosen.items() if key[0] == row}
    return tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", type=Path, required=True, help="text of the paper")
    parser.add_argument("--formulas", type=Path, help="its text extracted with formulas")
    parser.add_argument("--poster", type=Path, help="text of the conference poster")
    parser.add_argument("--output", type=Path, required=True, help="all cells, .tsv")
    arguments = parser.parse_args()
    tables = parse_paper(arguments.paper.read_text(encoding="utf-8"))
    check_statements(tables)
    for path, check in ((arguments.formulas, check_formulas), (arguments.poster, check_poster)):
        if path:
            check(tables, path.read_text(encoding="utf-8"))
    freeze(arguments.paper, tables, arguments.output)


if __name__ == "__main__":
    main()

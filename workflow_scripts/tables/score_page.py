"""A filled table of scores as a document: all that its cells show, and the lines around them."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain, groupby

from workflow_scripts.configuration.print_style import LatexStyle
from workflow_scripts.tables import document as doc
from workflow_scripts.tables import numbers as form
from workflow_scripts.tables.cell_details import cell_details, models_of
from workflow_scripts.tables.cells import INSIDE, NOT_COMPARABLE, OUTSIDE, SIGNIFICANT, Cell
from workflow_scripts.tables.filling import samples
from workflow_scripts.tables.table import AVERAGE, HEAD_FIELDS, Column, Row, Table, tsv_headings


def _with_status(table: Table, *statuses: str) -> list[Cell]:
    return [cell for cell in table.cells.values() if cell.status in statuses]


def _has_published(table: Table) -> bool:
    return any(cell.published is not None for cell in table.cells.values())


def comparability_lines(table: Table) -> list[str]:
    """Return the plain lines that say whether the table may be compared with the paper's."""
    compared = len(_with_status(table, INSIDE, OUTSIDE))
    others = len(_with_status(table, NOT_COMPARABLE))
    if not _has_published(table):
        return ["This table has no published values."]
    if all(cell.mean is None for cell in table.cells.values()):
        return ["No cell of this table was run: the values shown are the paper's."]
    orientation = "the paper's value, marked “paper” where it is shown, is for orientation only"
    if not compared and not others:
        return ["No cell with a published value was run."]
    if not compared:
        return [
            "Not comparable with the paper: no cell has the paper's model, data and recipe "
            f"(reasons below). {orientation.capitalize()}; no difference is computed, and "
            "nothing here reproduces the paper."
        ]
    below = "below each value are the paper's value and the difference, ours minus the paper's"
    assumed = any(cell.assumptions for cell in _with_status(table, INSIDE, OUTSIDE))
    as_far = ", as far as it states them (assumptions below)" if assumed else ""
    if not others:
        return [f"Model, data and recipe are the paper's{as_far}: {below}."]
    total = compared + others
    return [
        f"In {compared} of {total} cells, model, data and recipe are the paper's{as_far}: {below}.",
        f"The other {others} cells are not comparable with the paper and show no difference "
        f"(reasons below): there, {orientation}.",
    ]


def _reason_lines(reasons_of_cells: list[tuple[str, ...]]) -> list[str]:
    """Return the reasons with how many of the cells have each."""
    total = len(reasons_of_cells)
    counts = Counter(chain.from_iterable(reasons_of_cells))
    return [
        f"{reason} ({f'all {count}' if count == total else f'{count} of {total}'} cells)"
        for reason, count in counts.items()
    ]


def _tolerance_lines(table: Table) -> list[str]:
    labels: dict[str, dict[str, None]] = {}
    for column in table.shown_columns:
        for row in table.rows:
            cell = table.cells[row.id, column.id]
            if cell.difference is not None and cell.tolerance is not None:
                labels.setdefault(form.format_tolerance(cell.tolerance), {})[column.label] = None
    if not labels:
        return []
    amounts = [f"{value} in {', '.join(names)}" for value, names in labels.items()]
    amount = "; ".join(amounts) if len(labels) > 1 else next(iter(labels))
    return [
        "Tolerance: the largest difference from the paper, in either direction, that counts "
        f"as agreement, here {amount}. Larger differences are marked !"
    ]


def _seed_counts(table: Table) -> str:
    """Return over how many seeds the means of a table are; empty without deviations."""
    counts = {cell.seeds for cell in table.cells.values() if cell.sd is not None}
    return " or ".join(map(str, sorted(counts)))


def _lowest_is_best(table: Table) -> str:
    return ", ".join(c.label for c in table.shown_columns if c.lower_is_better)


def legend_lines(table: Table) -> list[str]:
    """Return the lines below the table that explain its marks."""
    cells = table.cells.values()
    lines = []
    if runs := _seed_counts(table):
        lines.append(
            f"Mean over {runs} seeds ± sample standard deviation; values without ± come from "
            "a single run."
        )
    if any(cell.interval for cell in cells):
        lines.append(
            "In brackets: 95% bootstrap interval over the items of the data sets, seeds averaged."
        )
    lines += _tolerance_lines(table)
    if any(cell.against for cell in cells):
        lines.append("↑ and ↓: difference from the row named below the label.")
    if any(cell.p_value is not None for cell in cells):
        lines.append(
            f"* after it: p < {form.format_number(SIGNIFICANT, 2)}, two-sided, by paired bootstrap "
            "over items, seeds averaged; not corrected for the number of comparisons."
        )
    if any(cell.rank == 1 for cell in cells):
        lower = _lowest_is_best(table)
        lowest = f" In {lower}, lower is better." if lower else ""
        lines.append(f"Bold: our best score in a column; underlined: our second best.{lowest}")
    return lines


def _row(table: Table, row: Row, columns: Sequence[Column]) -> doc.Row:
    texts = row.texts or {}
    cells: list[doc.Text | Cell] = []
    for column in columns:
        if column.of_model is None:
            cells.append(table.cells[row.id, column.id])
        else:
            is_address = column.of_model == "address" and texts[column.id] != doc.DASH
            cells.append(doc.Text(texts[column.id], is_address=is_address))
    compared = any(isinstance(cell, Cell) and cell.against for cell in cells)
    below = f"↑↓ to {table.row(row.against).label}" if compared and row.against else ""
    return doc.Row((doc.Text(row.label, below=below), *cells), row.id, models_of(table, row))


def _prints_arrows(table: Table, column: Column) -> bool:
    """Return whether a column has arrows in print: with an average it alone does, as in papers."""
    return column.id == AVERAGE or not table.average


def _items_text(table: Table, column: Column) -> str:
    """Return the number of items of a column, "" where its cells differ."""
    counts = {table.cells[row.id, column.id].n for row in table.rows} - {None}
    return f"n = {counts.pop():,}" if len(counts) == 1 else ""


def _sheet(table: Table) -> doc.Sheet:
    columns = [doc.Column("", doc.LEFT, HEAD_FIELDS)]
    for column in table.all_columns:
        if column.of_model is not None:
            is_number = column.of_model in form.OF_MODELS
            columns.append(doc.Column(column.label, doc.RIGHT if is_number else doc.LEFT))
            continue
        columns.append(
            doc.Column(
                column.label,
                fields=tsv_headings(column.label),
                prints_arrows=_prints_arrows(table, column),
                digits=column.digits,
                lower_is_better=column.lower_is_better,
                below=_items_text(table, column),
            )
        )
    groups = groupby(table.rows, key=lambda row: row.group)
    families = [[_row(table, row, table.all_columns) for row in rows] for _, rows in groups]
    return doc.Sheet(columns, families, "Own scores", "scores")


def _samples(table: Table) -> doc.Sheet:
    measured_on = samples(table)
    names_rows = any(sample.rows for sample in measured_on)
    columns = [doc.Column("Data set", doc.LEFT), doc.Column("n"), doc.Column("Coverage")]
    labels = ["Dropped", "Rows"] if names_rows else ["Dropped"]
    columns += [doc.Column(label, doc.TEXT) for label in labels]
    rows = []
    for sample in measured_on:
        counts = [f"{reason}: {count}" for reason, count in sorted(sample.dropped.items()) if count]
        fields = [str(sample.n), form.format_number(sample.coverage), "; ".join(counts) or "none"]
        fields += [", ".join(sample.rows)] if names_rows else []
        rows.append(doc.text_row(sample.dataset, *fields))
    return doc.Sheet(columns, [rows], "What the scores were measured on", "samples notes")


def _print_caption(table: Table, title: str, data: str, latex: LatexStyle) -> str:
    sentences = [title.rstrip(".") + ".", *doc.data_lines(data)]
    if latex.intervals and any(cell.interval for cell in table.cells.values()):
        sentences.append("In brackets: 95% bootstrap intervals over items.")
    if latex.published and _has_published(table):
        sentences.append("In italics: the paper's values.")
    if latex.published and _with_status(table, NOT_COMPARABLE):
        compared = _with_status(table, INSIDE, OUTSIDE)
        which = "Not all values are" if compared else "No value is"
        sentences.append(f"{which} comparable with the paper's.")
    if any(cell.rank == 1 for cell in table.cells.values()):
        sentences.append("Bold and underline: highest and second-highest score of a column.")
        if lower := _lowest_is_best(table):
            sentences.append(f"In {lower}, lower is better, and the lowest is bold.")
    if runs := _seed_counts(table):
        sentences.append(f"Mean over {runs} seeds ± sample standard deviation.")
    printed = [column.id for column in table.shown_columns if _prints_arrows(table, column)]
    arrows = [cell for cell in table.cells.values() if cell.against and cell.column in printed]
    if arrows:
        labels = ((table.row(c.row).label, table.row(c.against).label) for c in arrows)
        pairs = "; ".join(dict.fromkeys(f"{label} to {other}" for label, other in labels))
        sentences.append(f"Arrows: differences between rows ({pairs}).")
    if any(cell.is_significant for cell in arrows):
        sentences.append("*: p < .05, two-sided paired bootstrap over items, seeds averaged.")
    return " ".join(sentences)


def score_page(
    table: Table, title: str, data: str, notes: list[str], latex: LatexStyle
) -> doc.Document:
    """Return the document of a table; `data` names the data, `notes` stand below."""
    name = table.id
    cells = [cell for row in table.rows for cell in table.cells_of(row)]
    reasons = list(dict.fromkeys(cell.reasons[0] for cell in cells if cell.mean is None))
    parts: list[doc.Part] = [
        doc.form_links(name, ("one row for each cell", f"cells/{name}.tsv")),
        doc.Lines(doc.data_lines(data), "data"),
        doc.Lines(comparability_lines(table), "notice"),
        _sheet(table),
        doc.Lines([*legend_lines(table), *notes]),
    ]
    if reasons:
        parts.append(doc.Items("– no value:", reasons, is_numbered=True))
    assumed = [cell.assumptions for cell in _with_status(table, INSIDE, OUTSIDE)]
    differing = [cell.reasons for cell in _with_status(table, NOT_COMPARABLE)]
    for heading, lines in (
        ("What compared scores assume, since the paper does not state it:", _reason_lines(assumed)),
        ("Why scores are not compared with the paper:", _reason_lines(differing)),
    ):
        if lines:
            parts.append(doc.Items(heading, lines))
    if any(cell.scores for cell in table.cells.values()):
        parts.append(_samples(table))
    comments = []
    if _has_published(table) and not latex.published:
        compared = len(_with_status(table, INSIDE, OUTSIDE))
        total = compared + len(_with_status(table, NOT_COMPARABLE))
        comments.append(
            "The paper's values are in comments below the rows; model, data and recipe are "
            f"the paper's in {compared} of {total} cells that have one and were run."
        )
    columns = table.shown_columns
    details = [cell_details(table, row, column) for row in table.rows for column in columns]
    caption = _print_caption(table, title, data, latex)
    return doc.Document(name, title, parts, caption, comments, details, latex)

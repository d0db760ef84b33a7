"""Tables in LaTeX compile as they are pasted (Debian's pdfTeX: `make test-latex`)."""

import os
import re
import string
import subprocess
from pathlib import Path

import pytest

from workflow_scripts.tables.document import LEFT, TEXT, Column, Document, Sheet, Text, text_row
from workflow_scripts.tables.document import Row as TableRow
from workflow_scripts.tables.render import render

pytestmark = pytest.mark.latex

STYLES = [{}, {"intervals": True}, {"published": True}, {"intervals": True, "published": True}]
# of the signs that LaTeX would take for a mark, and those that fonts of pdfTeX lack
SIGNS = f"{string.punctuation}±×≤≥→↑↓‡ρτ–—“”’…−é"


def compiled(folder: Path, tables: list[str], options: str = "") -> str:
    """Compile tables into folder/tables.pdf; return the log of pdfTeX."""
    packages = set(
        re.findall(
            r"\w+", " ".join(re.findall(r"^% needs \\usepackage{(.*)}", "\n".join(tables), re.M))
        )
    )
    lines = [
        rf"\documentclass[{options}]{{article}}",
        *(rf"\usepackage{{{name}}}" for name in sorted(packages)),
    ]
    lines += [r"\begin{document}", *tables, r"\end{document}", ""]
    (folder / "tables.tex").write_text("\n".join(lines), encoding="utf-8")
    words = "pdflatex -halt-on-error -interaction=nonstopmode tables.tex"
    done = subprocess.run(
        words.split(), cwd=folder, capture_output=True, text=True, errors="replace"
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (folder / "tables.pdf").stat().st_size > 5000
    return done.stdout


@pytest.mark.parametrize("options", ["", "twocolumn"])
def test_tables_of_scores_compile_in_every_style(assembled, tmp_path, options):
    tables = [assembled(details=True, style=style).tex for style in STYLES]
    log = compiled(tmp_path, tables, options)
    assert "Overfull" not in log and "undefined" not in log


def test_every_sign_of_a_label_compiles(tmp_path):
    rows = [text_row(sign * 2, f"a {sign} b") for sign in SIGNS]
    rows.append(TableRow((Text("link"), Text("https://host/a_b%c#d", is_address=True))))
    sheet = Sheet((Column("Sign", LEFT), Column(SIGNS, TEXT)), (rows,))
    compiled(tmp_path, [render(Document("t", f"All {SIGNS}", (sheet,)), "tex")])


def test_a_table_wider_than_the_page_is_made_smaller(tmp_path):
    sheet = Sheet(
        [Column(f"column {number}") for number in range(30)], ((text_row(*["0.123"] * 30),),)
    )
    assert "Overfull" not in compiled(tmp_path, [render(Document("t", "T", (sheet,)), "tex")])


@pytest.mark.skipif("PAGES" not in os.environ, reason="needs the results of a run")
def test_tables_of_a_run_compile(tmp_path):
    files = sorted(Path(os.environ["PAGES"], "tables").glob("*.tex"))
    assert files
    compiled(tmp_path, [file.read_text(encoding="utf-8") + r"\clearpage" for file in files])

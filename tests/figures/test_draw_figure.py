"""The command that draws a figure, and how figures look."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from made_inputs import BLOCKS, outer

from workflow_scripts.errors import UserError
from workflow_scripts.figures import style
from workflow_scripts.tables.assemble_scorecard import count_cells
from workflow_scripts.tables.cells import read_cells

# weights of red, green and blue
GREY = [0.299, 0.587, 0.114]
NOT_RUN = {"id": "a", "label": "A", "not_run": "no data"}
AXES = {"x_label": "x", "y_label": "y"}
EMPTY = {
    "roc": {"dataset": "d", "curves": [NOT_RUN]},
    "lines": AXES | {"series": [{"id": "s", "label": "S", "points": [NOT_RUN]}]},
    "cosines": {"dataset": "d", "panels": [NOT_RUN]},
    "buckets": AXES | {"dataset": "d", "buckets": [NOT_RUN], "items": "none", "strings": "none"},
    "retrieved-languages": {"dataset": "d", "neighbours": 10, "columns": [NOT_RUN]},
    "translations": {"method": "pca", "pairs": 5, "rows": [], "columns": [], "panels": [NOT_RUN]},
}


def svg_texts(path):
    """Return the text elements of an SVG."""
    texts = ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")
    return [" ".join("".join(text.itertext()).split()) for text in texts]


TEXTS = {
    "roc": "AUC (mean ± deviation over seeds); chance: .500; "
    "False positive rate (fraction of negative pairs); "
    "True positive rate (fraction of positive pairs)",
    "lines": "Corpus size (strings, log scale); RoBERTa, STS12, Spearman's ρ (n=100); 100k",
    "cosines": "Cosine similarity of the pair (−1 to 1); the class (%); positive pairs; "
    "negative pairs; median of positive; median of negative; BERT + Mirror",
    "buckets": "Words tuned on, by rank of frequency; Score (Spearman's ρ); set (number); "
    "91k–100k; beyond",
    "retrieved-languages": "Share of the 10 nearest; Language of the query; mBERT + PCR; de; zh; "
    "share if language played no role",
    "translations": "French; Russian; CMLM+BR; sentence; its English translation; is nearest (%)",
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_figure_has_text_and_cells_and_is_the_same_bytes_again(made, kind):
    """In another process too, with other settings of the user."""
    arguments, out = made.draw(BLOCKS[kind](made)), made.folder / "out"
    assert set(TEXTS[kind].split("; ")) <= set(svg_texts(out / f"figure-{kind}.svg"))
    card = count_cells(cells := read_cells(out / "cells" / f"figure-{kind}.tsv"))
    assert card.unpublished == sum(cell.mean is not None for cell in cells)
    assert {cell.table for cell in cells} <= {f"figure-{kind}"} and not card.tables
    first = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert {path.suffix for path in first} == {".png", ".svg", ".pdf", ".tsv", ".md", ".html"}
    settings = made.folder / "matplotlibrc"
    settings.write_text("font.size: 20\nsavefig.dpi: 50\nlines.linewidth: 5\n")
    subprocess.run(
        [sys.executable, "-m", "workflow_scripts.figures.draw_figure", *arguments],
        check=True,
        env={"MATPLOTLIBRC": str(settings), "PATH": "", "HOME": str(Path.home())},
    )
    assert {path.name for path, content in first.items() if path.read_bytes() != content} == set()


# of other papers: one column of many more, in Times; wide columns in large letters
STYLES = [
    {},
    {"font": "serif", "font_size": 7, "column_width": 2.6, "page_width": 5.5, "intervals": False},
    {"font_size": 11, "column_width": 4.5, "page_width": 9},
]


def drawn_figure(made, block, monkeypatch):
    """Return the figure that is drawn of a block, instead of its files."""
    drawn = []
    save = "workflow_scripts.figures.draw_figure.save_figure"
    monkeypatch.setattr(save, lambda figure, _: drawn.append(figure))
    made.draw(block)
    return drawn[0]


@pytest.mark.parametrize("look", STYLES)
@pytest.mark.parametrize("kind", BLOCKS)
def test_no_text_overlaps_or_leaves_the_figure(made, kind, look, monkeypatch):
    block = BLOCKS[kind](made) | {"style": look}
    figure = drawn_figure(made, block, monkeypatch)
    with style.figure_style(style.style_of(block)):
        figure.draw_without_rendering()
        check_texts_apart(figure)


def test_a_style_sets_width_font_and_size(made):
    look = {"font": "serif", "font_size": 9, "column_width": 3.5}
    made.draw(BLOCKS["lines"](made) | {"style": look})
    svg = made.output("figure-lines.svg")
    assert "STIXGeneral" in svg
    assert set(re.findall(r"font(?:-size)?: ([\d.]+)px", svg)) == {"8", "9"}
    pdf = Path(made.file("out/figure-lines.pdf")).read_bytes()
    (box,) = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ", pdf)
    assert float(box) == 72 * 3.5
    # fonts are embedded, none of type 3, and there is no date
    assert b"/Subtype /Type3" not in pdf and b"/FontFile2" in pdf and b"Date" not in pdf
    from matplotlib.image import imread

    assert imread(made.file("out/figure-lines.png")).shape[1] == 3.5 * 300


@pytest.mark.parametrize(("kind", "bars"), [("lines", 20), ("buckets", 10), ("translations", 3)])
def test_error_bars_are_drawn_or_left_out(made, kind, bars, monkeypatch):
    def count(look):
        figure = drawn_figure(made, BLOCKS[kind](made) | {"style": look}, monkeypatch)
        lines = [line for axes in figure.axes for line in axes.lines]
        return sum(line.get_marker() == "_" for line in lines)

    assert count({}) == bars
    assert count({"intervals": False}) == 0
    assert "The config turns error bars off" in made.output(f"figure-{kind}.md")


def test_bars_of_accuracy_are_in_per_cent(made, monkeypatch):
    figure = drawn_figure(made, BLOCKS["translations"](made), monkeypatch)
    heights = [bar.get_height() for axes in figure.axes for bar in axes.patches]
    assert heights == pytest.approx([40] * 3)


def test_a_font_that_is_not_installed_is_refused_in_one_line(made):
    block = BLOCKS["roc"](made) | {"style": {"font": "No Such Font"}}
    with pytest.raises(UserError, match=r"no font `No Such Font` is installed; use sans-serif"):
        made.draw(block)


def check_texts_apart(figure):
    from matplotlib.text import Text
    from matplotlib.transforms import Bbox

    hidden = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            hidden |= {t.label1 for t in axis.get_major_ticks() if not low <= t.get_loc() <= high}
    # the box of a slanted text is not its outline
    texts = [
        text
        for text in figure.findobj(Text)
        if text.get_text() and text.get_visible() and text not in hidden
        if not text.get_rotation() % 90
    ]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts]
    assert len(boxes) > 4
    page = figure.bbox
    for text, box in boxes:
        assert box.x0 >= -1 and box.x1 <= page.width + 1, text
        assert box.y0 >= -1 and box.y1 <= page.height + 1, text
    for (text, box), (other, its) in combinations(boxes, 2):
        assert not Bbox.intersection(box.padded(-1), its.padded(-1)), (text, other)


def grey_sample(position, family):
    """Return a line of a legend in grey levels, 0 black to 1 white [height, width]."""
    with style.figure_style():
        figure = style.new_figure(style.USUAL, 0.3)
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.plot([0.1, 0.9], [0.5, 0.5], **style.line_style(position, family))
        axes.set(xlim=(0, 1), ylim=(0, 1))
        figure.canvas.draw()
        pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3] / 255
    return pixels @ GREY


def test_lines_differ_in_grey_and_stand_out():
    """Even where they have one colour, as the curves of a family."""
    samples = [grey_sample(position, 0) for position in range(len(style.DASHES))]
    for one, other in combinations(samples, 2):
        assert np.abs(one - other).sum() > 100
    for family in range(7):
        assert grey_sample(0, family).min() < 0.72
    number = len(style.DASHES) * len(style.MARKERS)
    styles = [style.line_style(position, 0) for position in range(number)]
    assert len({(str(s["linestyle"]), s["marker"]) for s in styles}) == number


def grey_picture(made, kind):
    """Return the PNG of a figure in grey levels, 0 black to 1 white [height, width]."""
    from matplotlib.image import imread

    made.draw(BLOCKS[kind](made))
    return imread(made.folder / "out" / f"figure-{kind}.png")[..., :3] @ GREY


def grey_level(colour, opacity=1.0):
    """Return the grey level of a colour #rrggbb on white."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    return 1 - opacity * (1 - float(np.dot(channels, GREY)))


@pytest.mark.parametrize(
    ("kind", "levels"),
    [
        ("cosines", [grey_level(style.POSITIVE, 0.5), grey_level(style.NEGATIVE)]),
        ("buckets", [grey_level(style.COLOURS[5]), 1.0]),
    ],
)
def test_areas_differ_in_grey(made, kind, levels):
    """A filled area, and an outline or an empty one, are far apart; what is hatched is hatched."""
    grey = grey_picture(made, kind)
    # a column wide at 300 dots an inch
    assert grey.shape[1] == round(3.15 * 300)
    assert all((np.abs(grey - level) < 0.02).sum() > 400 for level in levels)
    assert abs(levels[0] - levels[1]) > 0.3
    assert "url(#" in made.output(f"figure-{kind}.svg")


@pytest.mark.parametrize("kind", EMPTY)
def test_a_figure_of_which_nothing_was_run_says_so(made, kind):
    made.draw(outer(kind, **EMPTY[kind]))
    name = f"figure-{kind}"
    assert "Nothing of this figure was run;" in svg_texts(made.folder / "out" / f"{name}.svg")
    assert made.output(f"{name}.tsv") == "panel\tseries\tx\ty\tlow\thigh\n"
    note = made.output(f"{name}.md")
    assert "- A: no data." in note and "Nothing of this figure was run" in note
    assert "What was measured" not in note


def test_labels_are_wrapped_and_never_formulas_and_the_note_says_all(made):
    block = BLOCKS["roc"](made) | {"title": "Size | *of* the corpus", "caption": "Score by size"}
    block |= {"notes": ["One note.", "Two <notes>"], "data": "the sample data"}
    block["curves"][0]["label"] = "A model of $5 with a very long name, and a $6 supplement " * 2
    made.draw(block)
    texts = svg_texts(made.folder / "out" / "figure-roc.svg")
    assert any("$5 with" in text for text in texts)
    assert max(map(len, texts)) < 60
    lines = style.wrapped("x" * 100, style.SIDE_CHARACTERS).split("\n")
    assert max(map(len, lines)) == style.SIDE_CHARACTERS
    note = made.output("figure-roc.md").splitlines()
    assert note[0] == r"# Size \| \*of\* the corpus"
    assert "](figure-roc.png)" in note[2]
    for line in ("Score by size.", "One note.", r"Two \<notes\>.", "Data: the sample data."):
        assert line in note

"""The frame of an HTML page: one file, no scripts, nothing fetched; prints and copes with grey."""

from collections.abc import Iterable, Sequence
from html import escape

from workflow_scripts.tables.markdown import one_line

STYLE = """\
body { font: 16px/1.45 system-ui, sans-serif; color: #111; background: #fff; max-width: 75rem;
  margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; }
h2 { font-size: 1.1rem; margin-top: 2rem; }
figure { margin: 1rem 0 2rem; }
img { max-width: 100%; height: auto; }
caption { font-size: .9rem; text-align: left; white-space: nowrap; padding-bottom: .4rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; border-top: 2px solid #111; border-bottom: 2px solid #111;
  margin-bottom: 1rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .6rem; text-align: right; vertical-align: top; white-space: nowrap; }
th[scope=row], th:first-child { text-align: left; }
th[scope=row] { font-weight: normal; }
thead th, thead td { border-bottom: 1px solid #111; }
sup { line-height: 0; }
tbody + tbody { border-top: 1px solid #111; }
.left, td.text, th.text { text-align: left; }
td.text { white-space: normal; min-width: 12rem; }
.deviation { font-size: .8em; }
.interval, .against, .paper { display: block; font-size: .8em; }
.interval, .paper { color: #595959; }
.difference, .outside { color: #111; }
.notice { border-left: .3rem solid #111; padding-left: .7rem; }
.notes { font-size: .9em; }
a { color: #0b3d91; }
@media print { nav { display: none; } body { max-width: none; margin: 0; font-size: 10pt; }
  .wide { overflow: visible; } tr { break-inside: avoid; } }
"""


def html_paragraphs(lines: Iterable[str], of_class: str) -> list[str]:
    """Return plain lines as paragraphs of a class."""
    return [f'<p class="{of_class}">{escape(one_line(line))}</p>' for line in lines]


def html_header(labels: Sequence[str], first: str, classes: Sequence[str] = ()) -> list[str]:
    """Return the head of a table: `first` is the HTML of its first cell, `labels` are plain.

    `classes` are the attributes of the cells of `labels`, as HTML.
    """
    cells = "".join(
        f'<th scope="col"{attribute}>{escape(one_line(label))}</th>'
        for label, attribute in zip(labels, classes or [""] * len(labels), strict=True)
    )
    return ["<thead>", f"<tr>{first}{cells}</tr>", "</thead>"]


def html_page(title: str, body: str) -> str:
    """Return a whole page; `title` is plain text, `body` is HTML."""
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{STYLE}</style>
</head>
<body>
{body}</body>
</html>
"""

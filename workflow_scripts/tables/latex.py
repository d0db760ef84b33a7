r"""Tables in LaTeX with the rules of package booktabs; text goes through `latex_text`."""

from collections.abc import Iterable, Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # what the fonts of pdfLaTeX lack of the signs that titles and notes use
    "–": "--",
    "—": "---",
    "“": "``",
    "”": "''",
    "’": "'",
    "…": r"\ldots{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "−": "$-$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "→": r"$\rightarrow$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "‡": r"$\ddagger$",
    "ρ": r"$\rho$",
    "τ": r"$\tau$",
}


def latex_text(text: str) -> str:
    """Return plain text on one line for LaTeX, special characters escaped."""
    return "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))


def latex_comment(text: str) -> str:
    """Return text as one line of comment."""
    return f"% {' '.join(text.split())}"


def latex_row(fields: Sequence[str]) -> str:
    r"""Return a row of fields that are LaTeX already, ended with \\."""
    # a row may not open with [ or *: LaTeX would take it for an argument of the \\ before
    line = " & ".join(f"{{{field}}}" if field.startswith(("[", "*")) else field for field in fields)
    return rf"{line} \\"


def latex_table(
    name: str,
    caption: str,
    alignment: str,
    header: Sequence[str],
    families: Iterable[Sequence[str]],
    comments: Iterable[str] = (),
    packages: Sequence[str] = ("booktabs",),
) -> str:
    r"""Return a floating table: `families` are lines of LaTeX, kept apart by a rule.

    `alignment` has one letter for each column, `header` holds LaTeX, `caption` and `comments` are
    plain text, `packages` are those that the preamble has to load; the label is tab:{name}.
    """
    lines = [latex_comment(rf"needs \usepackage{{{','.join(packages)}}}")]
    lines += map(latex_comment, comments)
    lines += [r"\begin{table}[t]", r"\centering", r"\small"]
    lines += [rf"\begin{{tabular}}{{{alignment}}}", r"\toprule", latex_row(header)]
    for family in families:
        lines += [r"\midrule", *family]
    lines += [r"\bottomrule", r"\end{tabular}"]
    # an underscore needs no escape in a label, and \ref takes it as it is
    lines += [rf"\caption{{{latex_text(caption)}}}", rf"\label{{tab:{name}}}", r"\end{table}"]
    return "\n".join(lines) + "\n"

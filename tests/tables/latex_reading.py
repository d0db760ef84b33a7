"""A strict reader of the LaTeX that tables are written in: it fails on what would not compile."""

import re

# commands that tables use, without an argument in braces, with one, and in formulas
PLAIN = "centering small linewidth tabcolsep scriptsize tiny toprule midrule bottomrule"
WITH_ARGUMENT = (
    "begin end setlength textbf textit underline caption label url textbackslash textasciicircum "
    "textasciitilde textless textgreater textbar ldots"
)
COMMANDS = dict.fromkeys(PLAIN.split(), 0) | dict.fromkeys(WITH_ARGUMENT.split(), 1)
IN_FORMULAS = "pm times leq geq rightarrow uparrow downarrow ddagger rho tau"

# makes a wide table smaller, and is a group for the rest
RESIZED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{"


def _check_tokens(text: str) -> None:
    """Fail on unknown commands, unescaped special characters and braces that do not match."""
    depth, in_formula = 0, False
    tokens = re.findall(r"\\[a-zA-Z]+|\\.|.", text, flags=re.DOTALL)
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else ""
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            assert depth >= 0, "a brace closes nothing"
        elif token == "$":
            in_formula = not in_formula
        elif token in "#^~_%":
            raise AssertionError(f"{token} is not escaped")
        elif re.fullmatch(r"\\[a-zA-Z]+", token):
            name = token[1:]
            if in_formula:
                assert name in IN_FORMULAS.split(), token
            else:
                assert name in COMMANDS, token
                if COMMANDS[name]:
                    assert following in "{[", f"{token} without its argument"
        elif token.startswith("\\"):
            assert token in (r"\\", r"\{", r"\}", r"\$", r"\&", r"\#", r"\%", r"\_"), token
    assert depth == 0, "a brace stays open"
    assert not in_formula, "a formula stays open"


def read_latex_table(text: str) -> tuple[list[list[str]], list[int], str]:
    """Return the cells of each row, the rows before which there is a rule, and the caption.

    Fails on what LaTeX would fail on.
    """
    body = re.sub(r"(?<!\\)%.*", "", text).replace(RESIZED, "{")
    # a label and an address may hold underscores
    _check_tokens(re.sub(r"\\(label|url)\{[A-Za-z0-9_@:/.-]+\}", "", body))
    environments: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", body):
        if kind == "begin":
            environments.append(name)
        else:
            assert environments.pop() == name
    assert environments == []
    found = re.search(r"\\begin\{tabular\}\{([lrcp.{}\d\\a-z]+)\}(.*)\\end\{tabular\}", body, re.S)
    assert found is not None
    alignment, inside = found.groups()
    columns = len(re.findall(r"p\{[^}]*\}|[lrc]", alignment))
    rows: list[list[str]] = []
    rules: list[int] = []
    for line in filter(None, map(str.strip, inside.splitlines())):
        if re.fullmatch(r"\\(top|mid|bottom)rule", line):
            rules.append(len(rows))
            continue
        assert line.endswith(r"\\"), f"no end of row: {line}"
        fields = [field.strip() for field in re.split(r"(?<!\\)&", line.removesuffix(r"\\"))]
        assert not fields[0].startswith(("[", "*")), "LaTeX would take it for an argument"
        assert len(fields) == columns, f"{len(fields)} cells for {columns} columns: {line}"
        # braces around a whole field keep it from that
        rows.append([re.sub(r"^\{([\[*].*)\}$", r"\1", field) for field in fields])
    caption = re.search(r"\\caption\{(.*)\}\n", body)
    assert caption is not None
    return rows, rules, caption.group(1)

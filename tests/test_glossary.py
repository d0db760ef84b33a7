"""Names say what they stand for; the modules that the glossary names exist."""

import ast
import re

# names that mean something else in every function, and so hide mistakes
EMPTY_NAMES = {"found", "one", "its", "said", "wanted", "place", "views"}
# keys of recipes that users read
PUBLIC = {
    ("tuning/methods/mirror.py", "place"),
    ("tuning/span_masking.py", "place"),
    ("tuning/vectors_beside.py", "place"),
}


def test_the_modules_that_the_glossary_names_exist(project):
    text = (project / "docs/reference/glossary.md").read_text(encoding="utf-8")
    paths = re.findall(r"`([a-z_]+/(?:[\w/]+\.py|[\w/]*))`", text)
    assert len(paths) > 20
    for path in paths:
        tops = (project / "workflow_scripts", project)
        assert any((top / path).exists() for top in tops), path


def assigned_names(text):
    """Return (line, name) of all variables, fields and parameters of a module."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.id


def test_variables_say_what_they_are(project):
    root, lines = project / "workflow_scripts", []
    for path in sorted(root.rglob("*.py")):
        module = path.relative_to(root).as_posix()
        for line, name in assigned_names(path.read_text(encoding="utf-8")):
            if name in EMPTY_NAMES and (module, name) not in PUBLIC:
                lines.append(f"{module}:{line}: {name}")
    assert not lines, "name it for what it is:\n" + "\n".join(lines)

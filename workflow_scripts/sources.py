"""The source files of a step: its script and every project module it imports, directly or not."""

import ast
import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any

from workflow_scripts.canonical import canonical
from workflow_scripts.files import sha256_of
from workflow_scripts.project_files import PROJECT, project_file

# the workflow's own package, and that of the workflow next to it, which imports its modules
PACKAGE = "workflow_scripts"
PACKAGES = (PACKAGE, "bundled_models")
# a line that may import a module of the project, and such a statement as it is usually written
_NAME = rf"(?:{'|'.join(PACKAGES)})\b"
_MENTION = re.compile(
    rf"^.*\bimport\b.*\b{_NAME}|^.*\b(?:{_NAME}|from \.).*\bimport\b", re.MULTILINE
)
_STATEMENT = re.compile(
    rf"^[ \t]*((?:from|import) (?:{_NAME}|\.)(?:[^\n(#;]*\([^()#;]*\)|[^\n(#;]*))$",
    re.MULTILINE,
)


def _file_of(module: str) -> Path | None:
    """Return the file of a dotted project module, or None if the project has no such module."""
    base = PROJECT.joinpath(*module.split("."))
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.is_file():
            return candidate
    return None


def _whole_name(module: str) -> str:
    return module if module.split(".")[0] in PACKAGES else f"{PACKAGE}.{module}"


def import_statements(file: Path) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports in a file that may be of the project's modules, in functions too.

    Parsing whole files takes half a second of every start of Snakemake, so only the statements
    are parsed where a file has them in the usual form.
    """
    text = file.read_text(encoding="utf-8")
    statements = _STATEMENT.findall(text)
    try:
        usual = len(statements) == len(_MENTION.findall(text))
        trees = [ast.parse(statement) for statement in statements] if usual else []
    except SyntaxError:  # such a line of a docstring
        usual = False
    if not usual:
        trees = [ast.parse(text, filename=str(file))]
    nodes = (node for tree in trees for node in ast.walk(tree))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]


@cache
def _imports_of(module: str) -> frozenset[str]:
    """Return the project modules that `module` imports, in functions too, and its packages."""
    file = _file_of(module)
    assert file is not None
    parts = module.split(".")
    # the packages above it, which run as well
    modules = {".".join(parts[:length]) for length in range(1, len(parts))}
    for node in import_statements(file):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            assert node.module and not node.level, f"{file}: write the import with the full name"
            # `from package import name`: the name may itself be a module
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        modules.update(n for n in names if n.split(".")[0] in PACKAGES and _file_of(n))
    return frozenset(modules)


def sources(step: str, *more: str) -> list[str]:
    """Return the source files of a step as rules name them, sorted: see `sources_in_project`."""
    project = project_file("")
    return [f"{project}{file}" for file in sources_in_project(step, *more)]


@cache
def sources_in_project(step: str, *more: str) -> list[str]:
    """Return the source files of a step as sorted paths relative to the project's folder.

    `step` is "stage.rule", such as "tuning.tune_encoder": the file
    workflow_scripts/tuning/tune_encoder.py, its transitive imports within the project, and the
    `__init__.py` of each package on the way (importing a module runs them). A step of another
    package has its whole name: "bundled_models.prepare_text". `more` are modules in the same form
    that the step loads by name ("tuning.methods.mirror"). Given as inputs of the step's rule, an
    edited module reruns its users and nobody else.

    Raises `ValueError` if there is no such step or module.
    """
    todo = [_whole_name(module) for module in (step, *more)]
    for module in todo:
        if _file_of(module) is None:
            raise ValueError(f"no such module: {module.replace('.', '/')}.py does not exist")
    seen: set[str] = set()
    while todo:
        module = todo.pop()
        if module in seen:
            continue
        seen.add(module)
        todo.extend(_imports_of(module))
    files = (_file_of(module) for module in seen)
    return sorted(str(file.relative_to(PROJECT)) for file in files if file is not None)


def digest_of(step: str, *parts: Any, more: tuple[str, ...] = ()) -> str:
    """Return the SHA-256 of what the results of a step depend on: `parts` and its source files.

    `more` are the modules that it loads by name. An interrupted job continues only under
    the same digest.
    """
    files = {file: sha256_of(PROJECT / file) for file in sources_in_project(step, *more)}
    return hashlib.sha256(canonical([*parts, files]).encode()).hexdigest()

"""Check prose: phrases that read as translated, and sentences of pages that are too long.

    python -m tools.check_prose README.md docs/howto/*.md workflow_scripts/tune.py

Without files it checks all pages that people write, and the comments and docstrings of all code.
The phrases are in prose_phrases.tsv, as regular expressions with what to write instead. Text in
backticks is not checked.
"""

import argparse
import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.doc_pages import blanked, line_of, written_pages
from workflow_scripts.delimited import Layout, read_rows

ROOT = Path(__file__).resolve().parents[1]
PHRASES = Path(__file__).with_name("prose_phrases.tsv")
LONGEST = 42
CODE = (
    "workflow_scripts",
    "mirror_bert",
    "tools",
    "benchmarks",
    "bundled_models",
    "rules",
    "tests",
)
_NOT_PROSE = re.compile(
    r"^ *```.*?^ *```[^\n]*$|^    [^\n]*$|`[^`]*`|<!--.*?-->|(?<=\])\([^)]*\)|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
_NAMES = re.compile(r"`[^`\n]*`")
# what ends a sentence that no full stop ends: an empty line, a list item, a heading, a table row
_BREAK = re.compile(r"\n\s*\n|\n\s*(?:[-*#|]|\d+\.)\s?|[.!?:;]\)?\**(?=\s)")

Phrases = Mapping[re.Pattern[str], str]
Finding = tuple[int, str]


def code_files(root: Path) -> list[Path]:
    """Return the Python files and rule files of the project."""
    patterns = ("*.py", "*.smk", "Snakefile")
    files = (file for folder in CODE for name in patterns for file in (root / folder).rglob(name))
    return [root / "setup.py", root / "Snakefile", *sorted(files)]


def read_phrases(path: Path = PHRASES) -> Phrases:
    """Return what to write instead of each phrase."""
    return {
        re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE): instead
        for _, (phrase, instead) in read_rows(path, Layout(("phrase", "instead")))
    }


def _listed(prose: str, phrases: Phrases) -> Iterator[Finding]:
    for phrase, instead in phrases.items():
        for match in phrase.finditer(prose):
            words = " ".join(match[0].split())
            yield line_of(prose, match.start()), f"{words!r}: write {instead!r}"


def findings(text: str, phrases: Phrases) -> Iterator[Finding]:
    """Yield line and problem of each listed phrase and each overlong sentence of a page."""
    prose = blanked(_NOT_PROSE, text)
    prose = re.sub(r"[*_]{2}", "  ", prose)
    yield from _listed(prose, phrases)
    start = 0
    for end in [match.end() for match in _BREAK.finditer(prose)] + [len(prose)]:
        sentence = prose[start:end]
        number = len(re.findall(r"[A-Za-z][\w'’-]*", sentence))
        if number > LONGEST and "|" not in sentence:
            yield line_of(prose, start) + 1, f"a sentence of {number} words: split it"
        start = end


def code_findings(code: str, phrases: Phrases, is_python: bool = True) -> Iterator[Finding]:
    """Yield line and problem of each listed phrase in comments and, of Python, docstrings."""
    source = code.split("\n")
    prose = [""] * len(source)
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.COMMENT:
            prose[token.start[0] - 1] = token.string.lstrip("#")
    for node in ast.walk(ast.parse(code if is_python else "")):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines = slice(node.lineno - 1, node.end_lineno)
            prose[lines] = source[lines]
    yield from _listed(blanked(_NAMES, "\n".join(prose)), phrases)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="pages and code; all without it")
    phrases, failed = read_phrases(), False
    for file in parser.parse_args().files or [*written_pages(ROOT), *code_files(ROOT)]:
        text = file.read_text("utf-8")
        if file.suffix == ".md":
            problems = findings(text, phrases)
        else:
            problems = code_findings(text, phrases, file.suffix == ".py")
        for line, problem in sorted(problems):
            print(f"{file}:{line}: {problem}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

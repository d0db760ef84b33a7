"""Check the prose of pages: phrases that read as translated, and sentences that are too long.

    python -m tools.check_prose README.md docs/howto/*.md

Without files it checks all pages that people write. The phrases are in prose_phrases.tsv, as
regular expressions with what to write instead.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from workflow_scripts.delimited import Layout, read_rows

ROOT = Path(__file__).resolve().parents[1]
PHRASES = Path(__file__).with_name("prose_phrases.tsv")
LONGEST = 42
# written by other tools, or copied from a run
_SKIPPED = re.compile(r"docs/(?:reference/(?!glossary)|example-run/(?:tables|figures)/)")
_NOT_PROSE = re.compile(
    r"^ *```.*?^ *```[^\n]*$|^    [^\n]*$|`[^`]*`|<!--.*?-->|(?<=\])\([^)]*\)|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
# what ends a sentence that no full stop ends: an empty line, a list item, a heading, a table row
_BREAK = re.compile(r"\n\s*\n|\n\s*(?:[-*#|]|\d+\.)\s?|[.!?:;]\)?\**(?=\s)")


def read_phrases(path: Path = PHRASES) -> dict[re.Pattern[str], str]:
    """Return what to write instead of each phrase."""
    return {
        re.compile(rf"(?<![\w-])(?:{phrase})(?![\w-])".replace(" ", r"\s+"), re.IGNORECASE): instead
        for _, (phrase, instead) in read_rows(path, Layout(("phrase", "instead")))
    }


def findings(text: str, phrases: Mapping[re.Pattern[str], str]) -> Iterator[tuple[int, str]]:
    """Yield line and problem of each phrase of the list and of each sentence that is too long."""
    prose = _NOT_PROSE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)
    prose = re.sub(r"[*_]{2}", "  ", prose)
    for phrase, instead in phrases.items():
        for match in phrase.finditer(prose):
            words = " ".join(match[0].split())
            yield _line(prose, match.start()), f"{words!r}: write {instead!r}"
    start = 0
    for end in [match.end() for match in _BREAK.finditer(prose)] + [len(prose)]:
        sentence = prose[start:end]
        number = len(re.findall(r"[A-Za-z][\w'’-]*", sentence))
        if number > LONGEST and "|" not in sentence:
            yield _line(prose, start) + 1, f"a sentence of {number} words: split it"
        start = end


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def written_pages(root: Path = ROOT) -> list[Path]:
    """Return the Markdown files of the project that people write."""
    names = ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "config/README", "envs/README")
    files = [root / f"{name}.md" for name in (*names, "bundled_models/README")]
    files += sorted((root / "docs").rglob("*.md"))
    return [file for file in files if not _SKIPPED.search(file.relative_to(root).as_posix())]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="pages; all without it")
    phrases, failed = read_phrases(), False
    for file in parser.parse_args().files or written_pages():
        for line, problem in sorted(findings(file.read_text("utf-8"), phrases)):
            print(f"{file}:{line}: {problem}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

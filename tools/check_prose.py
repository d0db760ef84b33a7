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

from tools.doc_pages import blanked, line_of, written_pages
from workflow_scripts.delimited import Layout, read_rows

ROOT = Path(__file__).resolve().parents[1]
PHRASES = Path(__file__).with_name("prose_phrases.tsv")
LONGEST = 42
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
    prose = blanked(_NOT_PROSE, text)
    prose = re.sub(r"[*_]{2}", "  ", prose)
    for phrase, instead in phrases.items():
        for match in phrase.finditer(prose):
            words = " ".join(match[0].split())
            yield line_of(prose, match.start()), f"{words!r}: write {instead!r}"
    start = 0
    for end in [match.end() for match in _BREAK.finditer(prose)] + [len(prose)]:
        sentence = prose[start:end]
        number = len(re.findall(r"[A-Za-z][\w'’-]*", sentence))
        if number > LONGEST and "|" not in sentence:
            yield line_of(prose, start) + 1, f"a sentence of {number} words: split it"
        start = end


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, help="pages; all without it")
    phrases, failed = read_phrases(), False
    for file in parser.parse_args().files or written_pages(ROOT):
        for line, problem in sorted(findings(file.read_text("utf-8"), phrases)):
            print(f"{file}:{line}: {problem}")
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

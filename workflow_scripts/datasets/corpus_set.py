"""The strings of a corpus as an evaluation set, for what is measured on strings without gold.

The paper measures isotropy (Tables 9 and 14) on the strings that models are tuned on; it does not
say on which of them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import StringSet, count_dropped
from workflow_scripts.datasets.options import Option
from workflow_scripts.datasets.strings import normalise_whitespace, unique_in_order
from workflow_scripts.files import read_lines

OPTIONS = {
    # The id of a corpus of config.
    "corpus": Option((str,)),
}


def corpus_path(options: Mapping[str, Any]) -> Path:
    """Return the file of the corpus, relative to the working directory of the workflow."""
    return Path("results") / "corpora" / f"{options['corpus']}.txt"


def list_files(root: Path, options: Mapping[str, Any]) -> list[Path]:
    """Return no file: there is none below the data root."""
    return []


def read(root: Path, options: Mapping[str, Any]) -> StringSet:
    """Return the different strings; `UserError` if the corpus was not made yet.

    A string that is repeated (some of the authors' corpora hold such) counts once.
    """
    strings = [line for line in map(normalise_whitespace, read_lines(corpus_path(options))) if line]
    unique = unique_in_order(strings)
    dropped: dict[str, int] = {}
    count_dropped(dropped, "repeated", len(strings) - len(unique))
    return StringSet(unique, dropped)

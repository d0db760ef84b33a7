"""The strings of a corpus as an evaluation set, for what is measured on strings without gold.

The paper measures isotropy (Tables 9 and 14) on the strings that models are tuned on; it does not
say on which of them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.items import StringSet
from workflow_scripts.datasets.options import Option
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
    """Return the strings; `UserError` if the corpus was not made yet."""
    return StringSet([line for line in read_lines(corpus_path(options)) if line.strip()])

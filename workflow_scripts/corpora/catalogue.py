"""What a block of `corpora` in config may hold, by kind, and the files that it reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.datasets.options import Option, fill_options
from workflow_scripts.errors import UserError, nearest_name

_SIZE = {
    # How many strings; "all" takes all there are, as does a number above that, with a warning.
    "size": Option((int, str)),
    # Repeated strings are false negatives of each other in a batch: the paper leaves them out,
    # the authors' released corpora hold some.
    "deduplicate": Option((bool,), True),
}
_LANGUAGE = {"language": Option((str,), None)}

KINDS: dict[str, dict[str, Option]] = {
    # The `size` most frequent words: of the list in `path` or, without one, of wordfreq.
    "frequent-words": {
        "kind": Option((str,)),
        "language": Option((str,)),
        "path": Option((str,), None),
        **_SIZE,
    },
    # A sample of names: one per line, UMLS's MRCONSO.RRF by language (ENG), sources (SAB) and
    # suppress flags (SUPPRESS), or the names and synonyms of an ontology (obo).
    "names": {
        "kind": Option((str,)),
        "path": Option((str,)),
        "format": Option((str,), "lines", choices=("lines", "mrconso", "obo")),
        "language": Option((str,), "ENG"),
        "sources": Option((list,), None),
        "suppress": Option((list,), ["N"]),
        **_SIZE,
    },
    # A sample of sentences: both columns of the STS Benchmark, one per line, or one side of
    # WikiMatrix (margin score, sentence, sentence) from a margin on.
    "sentences": {
        "kind": Option((str,)),
        "path": Option((str,)),
        "format": Option((str,), "lines", choices=("lines", "sts-benchmark", "wikimatrix")),
        "side": Option((str,), "left", choices=("left", "right")),
        "margin": Option((int, float), 1.04),
        **_LANGUAGE,
        **_SIZE,
    },
}
# Options that only one format of a kind reads: given with another they would be ignored.
_ONLY_WITH = {
    "language": ("names", "mrconso"),
    "sources": ("names", "mrconso"),
    "suppress": ("names", "mrconso"),
    "side": ("sentences", "wikimatrix"),
    "margin": ("sentences", "wikimatrix"),
}


def check_block(name: str, block: Mapping[str, Any]) -> dict[str, Any]:
    """Return the block of a corpus with all defaults filled in; `name` is its id, for messages.

    Raises `UserError` for an unknown kind or option (naming the nearest known one), a missing or
    ill-typed option, an option of another format, and a size that is neither "all" nor positive.
    """
    where = f"corpus {name!r}" if name else "corpus"
    if not isinstance(block, Mapping) or "kind" not in block:
        raise UserError(f"{where}: option 'kind' is missing; add one of {', '.join(KINDS)}")
    kind = block["kind"]
    if kind not in KINDS:
        raise UserError(f"{where}: unknown kind {kind!r}; {nearest_name(str(kind), list(KINDS))}")
    options = fill_options(block, KINDS[kind], where)
    size = options["size"]
    if size != "all" and (isinstance(size, str) or size < 1):
        raise UserError(f"{where}: size cannot be {size!r}; give a number from 1 on, or all")
    for key, (one_kind, form) in _ONLY_WITH.items():
        if key in block and kind == one_kind and options["format"] != form:
            raise UserError(
                f"{where}: option {key!r} is for format {form!r}, not {options['format']!r}; "
                "remove it or change the format"
            )
    return options


def raw_files(root: str | Path, block: Mapping[str, Any]) -> list[Path]:
    """Return the files that a corpus is made from, without opening them."""
    path = check_block("", block)["path"]
    return [] if path is None else [Path(root) / path]

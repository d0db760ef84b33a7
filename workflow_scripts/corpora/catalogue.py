"""What a block of `corpora` in config may hold, by kind, and the files that it reads."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.corpora.random_strings import StringShape
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
    # The `size` most frequent words behind the first `skip`: of the list in `path` or, without one,
    # of wordfreq.
    "frequent-words": {
        "kind": Option((str,)),
        "language": Option((str,)),
        "path": Option((str,), None),
        "skip": Option((int,), 0),
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
    # A sample of sentences: one per line, both columns of the STS Benchmark, both strings of the
    # pairs of QNLI (question, sentence) or of NLI (SNLI and MultiNLI: premise, hypothesis), or one
    # side of WikiMatrix (margin score, sentence, sentence) from a margin on.
    "sentences": {
        "kind": Option((str,)),
        "path": Option((str,)),
        "format": Option(
            (str,), "lines", choices=("lines", "sts-benchmark", "qnli", "nli", "wikimatrix")
        ),
        "side": Option((str,), "left", choices=("left", "right")),
        "margin": Option((int, float), 1.04),
        **_LANGUAGE,
        **_SIZE,
    },
    # Strings without meaning (paper Table 10): `words` of them (a number, or the smallest and the
    # largest) of `min_length` to `max_length` letters and digits each. The paper does not tell the
    # lengths; with these, words are on average as long as the 10,000 English ones of the authors.
    "random-strings": {
        "kind": Option((str,)),
        "min_length": Option((int,), 2),
        "max_length": Option((int,), 12),
        "words": Option((int, list), 1),
        **_SIZE,
    },
    # Several other corpora of config one after another, such as the words of both languages that a
    # multilingual model is tuned on.
    "joined": {
        "kind": Option((str,)),
        "of": Option((list,)),
        "deduplicate": _SIZE["deduplicate"],
        **_LANGUAGE,
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
    ill-typed option, an option of another format, a size that is neither "all" nor positive, and
    random strings of which there are not as many as asked for.
    """
    where = f"corpus {name!r}" if name else "corpus"
    if not isinstance(block, Mapping) or "kind" not in block:
        raise UserError(f"{where}: option 'kind' is missing; add one of {', '.join(KINDS)}")
    kind = block["kind"]
    if kind not in KINDS:
        raise UserError(f"{where}: unknown kind {kind!r}; {nearest_name(str(kind), list(KINDS))}")
    options = fill_options(block, KINDS[kind], where)
    size = options.get("size", "all")
    if size != "all" and (isinstance(size, str) or size < 1):
        raise UserError(f"{where}: size cannot be {size!r}; give a number from 1 on, or all")
    if options.get("skip", 0) < 0:
        raise UserError(f"{where}: skip cannot be {options['skip']}; give a number from 0 on")
    if kind == "random-strings":
        _check_random_strings(options, where)
    if kind == "joined" and len(set(map(str, options["of"]))) != max(2, len(options["of"])):
        raise UserError(
            f"{where}: of cannot be {options['of']!r}; list two or more different ids of corpora"
        )
    for key, (one_kind, form) in _ONLY_WITH.items():
        if key in block and kind == one_kind and options["format"] != form:
            raise UserError(
                f"{where}: option {key!r} is for format {form!r}, not {options['format']!r}; "
                "remove it or change the format"
            )
    return options


def _check_random_strings(options: Mapping[str, Any], where: str) -> None:
    size = options["size"]
    if size == "all":
        raise UserError(f"{where}: size cannot be 'all' for random strings; give a number")
    words = options["words"]
    fewest_and_most = words if isinstance(words, list) else [words, words]
    if not (
        len(fewest_and_most) == 2
        and all(type(number) is int for number in fewest_and_most)
        and 1 <= fewest_and_most[0] <= fewest_and_most[1]
    ):
        raise UserError(
            f"{where}: words cannot be {words!r}; give a number from 1 on, or the smallest and the "
            "largest one, such as [5, 15]"
        )
    if not 1 <= options["min_length"] <= options["max_length"]:
        raise UserError(
            f"{where}: min_length {options['min_length']} and max_length {options['max_length']} "
            "do not go together; give 1 <= min_length <= max_length"
        )
    possible = string_shape(options).count()
    if options["deduplicate"] and size > possible:
        raise UserError(
            f"{where}: there are only {possible} different strings of this shape, {size} are asked "
            "for; raise max_length or words, lower size, or set deduplicate: false"
        )


def string_shape(options: Mapping[str, Any]) -> StringShape:
    """Return the shape of the strings of a checked block of kind `random-strings`."""
    words = options["words"]
    fewest, most = words if isinstance(words, list) else (words, words)
    return StringShape(options["min_length"], options["max_length"], fewest, most)


def check_joined(name: str, corpora: Mapping[str, Mapping[str, Any]]) -> None:
    """Check the ids that the corpus `name` of kind `joined` is put together from.

    `corpora` are all blocks of config. Raises `UserError` for an id that is not among them and for
    one that is itself of this kind.
    """
    for other in joined_corpora(corpora[name]):
        if other not in corpora:
            hint = nearest_name(other, list(corpora))
            raise UserError(f"corpus {name!r}: of names the unknown corpus {other!r}; {hint}")
        if corpora[other].get("kind") == "joined":
            raise UserError(
                f"corpus {name!r}: {other!r} is of kind joined too; list the corpora it is made of"
            )


def joined_corpora(block: Mapping[str, Any]) -> list[str]:
    """Return the ids of the corpora that a corpus is put together from; [] for other kinds."""
    return list(map(str, check_block("", block).get("of", [])))


def raw_files(root: str | Path, block: Mapping[str, Any]) -> list[Path]:
    """Return the files that a corpus is made from, without opening them."""
    path = check_block("", block).get("path")
    return [] if path is None else [Path(root) / path]

"""The formats of evaluation sets, and reading a set that config/datasets.yaml describes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workflow_scripts.datasets import (
    askapatient,
    biosyn,
    cometa,
    corpus_set,
    labelled_pairs,
    labelled_sentences,
    lexicon,
    mention_rows,
    multi_simlex,
    multi_simlex_pairs,
    parallel_sentences,
    pubtator,
    qnli,
    qqp,
    semeval_sts,
    sick,
    simlex,
    sts2017,
    sts_benchmark,
    stsb_multi_mt,
)
from workflow_scripts.datasets.items import (
    LabelledPairs,
    LabelledSentences,
    LexiconSet,
    LinkingSet,
    ParallelSentences,
    SimilaritySet,
    StringSet,
)
from workflow_scripts.datasets.options import Option, fill_options
from workflow_scripts.errors import UserError, nearest_name

# What settings and stopping points can be chosen by.
DEVELOPMENT_TASKS = ("similarity", "entity-linking")

DatasetItems = (
    SimilaritySet
    | LabelledPairs
    | LabelledSentences
    | ParallelSentences
    | LinkingSet
    | LexiconSet
    | StringSet
)
# Sets of the last two tasks can be read and embedded; nothing scores them yet.
TASKS = (
    "similarity",
    "pair-classification",
    "entity-linking",
    "lexicon",
    "isotropy",
    "classification",
    "bitext",
)

# Keys of every entry. `obtain` says where a set that may not be passed on is to be had, and
# `unlike_paper` how it differs from the paper's; no reader looks at them.
_COMMON = {
    "task": Option((str,), choices=TASKS),
    "format": Option((str,)),
    "split": Option((str,), "test"),
    "obtain": Option((str,), None),
    "unlike_paper": Option((str,), None),
}
_LANGUAGE = {"language": Option((str,))}


@dataclass(frozen=True)
class Format:
    """A file format: its task, its options, the files that it reads, and its reader."""

    task: str
    known: Mapping[str, Option]
    list_files: Callable[[Path, Mapping[str, Any]], list[Path]]
    read: Callable[[Path, Mapping[str, Any]], DatasetItems]

    def __call__(self, root: Path, options: Mapping[str, Any]) -> DatasetItems:
        """Read the set; `options` are complete, as `check_entry` returns them."""
        return self.read(root, options)


def _format(task: str, module: Any) -> Format:
    known = {**_COMMON, **({} if task == "lexicon" else _LANGUAGE), **module.OPTIONS}
    return Format(task, known, module.list_files, module.read)


FORMATS: dict[str, Format] = {
    "semeval-sts": _format("similarity", semeval_sts),
    "sts-benchmark": _format("similarity", sts_benchmark),
    "sick": _format("similarity", sick),
    "simlex": _format("similarity", simlex),
    "multi-simlex": _format("similarity", multi_simlex),
    "multi-simlex-pairs": _format("similarity", multi_simlex_pairs),
    "sts2017": _format("similarity", sts2017),
    "stsb-multi-mt": _format("similarity", stsb_multi_mt),
    "qnli": _format("pair-classification", qnli),
    "qqp": _format("pair-classification", qqp),
    "labelled-pairs": _format("pair-classification", labelled_pairs),
    "labelled-sentences": _format("classification", labelled_sentences),
    "parallel-sentences": _format("bitext", parallel_sentences),
    "pubtator": _format("entity-linking", pubtator),
    "biosyn": _format("entity-linking", biosyn),
    "mention-rows": _format("entity-linking", mention_rows),
    "askapatient": _format("entity-linking", askapatient),
    "cometa": _format("entity-linking", cometa),
    "xling-eval": _format("lexicon", lexicon),
    "corpus": _format("isotropy", corpus_set),
}


def check_entry(name: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry with all defaults filled in; `name` is its id, for messages.

    Raises `UserError` for an unknown format or option (naming the nearest known one), a missing
    or ill-typed option, and a task that is not the format's.
    """
    where = f"data set {name!r}" if name else "data set"
    if not isinstance(entry, Mapping) or "format" not in entry:
        raise UserError(f"{where}: option 'format' is missing; add one of {', '.join(FORMATS)}")
    form = FORMATS.get(entry["format"])
    if form is None:
        hint = nearest_name(str(entry["format"]), list(FORMATS))
        raise UserError(f"{where}: unknown format {entry['format']!r}; {hint}")
    options = fill_options(entry, form.known, where)
    if options["task"] != form.task:
        raise UserError(
            f"{where}: format {entry['format']!r} is of task {form.task!r}, "
            f"not {options['task']!r}; change the task"
        )
    return options


def check_suite(name: str, block: Mapping[str, Any]) -> None:
    """Check a block of `suites`: {datasets: [ids], language: code, needed only for lexicons}.

    Raises `UserError` for an unknown key, no data sets, or one that occurs twice.
    """
    where = f"suite {name!r}"
    known = {"datasets": Option((list,)), "language": Option((str,), None)}
    datasets = fill_options(block, known, where)["datasets"]
    if not datasets:
        raise UserError(f"{where}: no data sets; list at least one id")
    twice = next((one for one in datasets if datasets.count(one) > 1), None)
    if twice is not None:
        raise UserError(f"{where}: data set {twice!r} is listed twice; remove one")


def raw_files(root: str | Path, entry: Mapping[str, Any]) -> list[Path]:
    """Return the files that a data set reads, without opening them, each once.

    Where a folder is missing, the path that was expected stands for its files.
    """
    options = check_entry("", entry)
    files = FORMATS[options["format"]].list_files(Path(root), options)
    return list(dict.fromkeys(files))


def corpus_files(entry: Mapping[str, Any]) -> list[str]:
    """Return the made corpora that a data set reads, relative to the working directory."""
    options = check_entry("", entry)
    return [str(corpus_set.corpus_path(options))] if options["format"] == "corpus" else []


def _without_gold(items: DatasetItems) -> str | None:
    """Return what is missing in a set that cannot be scored, or None."""
    if isinstance(items, SimilaritySet):
        return None if items.gold else "pair with a gold score"
    if isinstance(items, LabelledPairs):
        # Scores of labelled pairs compare those of one label with those of the other.
        return next(
            (f"pair with label {label}" for label in (0, 1) if label not in items.label), None
        )
    if isinstance(items, LabelledSentences):
        return None if len(set(items.labels)) > 1 else "second label"
    if isinstance(items, ParallelSentences):
        return None if items.left else "pair"
    if isinstance(items, StringSet):
        return None if items.strings else "string"
    if isinstance(items, LinkingSet):
        return None if items.gold else "mention with a concept"
    if not items.train:
        return "training entry"
    return None if items.test else "test entry"


def read_dataset(root: str | Path, entry: Mapping[str, Any], name: str = "") -> DatasetItems:
    """Return the items of a data set below the data root; `name` is its id, for messages.

    Raises `UserError` for whatever `check_entry` does, a missing file (saying where it is to be
    had if the entry has `obtain`), malformed files (naming file and line), and a set without a
    single item to score.
    """
    options = check_entry(name, entry)
    where = f"data set {name!r}" if name else "data set"
    for path in raw_files(root, entry):
        if not path.is_file():
            remedy = options["obtain"] or "put it there or choose another data root"
            raise UserError(f"{path}: no such file, needed by {where}; {remedy}")
    items = FORMATS[options["format"]](Path(root), options)
    missing = _without_gold(items)
    if missing:
        files = ", ".join(map(str, [*raw_files(root, entry)[:2], *corpus_files(entry)]))
        raise UserError(f"{where}: no {missing} in {files}; check the files and the entry")
    return items


def check_development_task(dataset: str, task: str, where: str) -> None:
    """Raise `UserError` for a data set of a task that has no single score to choose by.

    `where` is the key or option that names it.
    """
    if task not in DEVELOPMENT_TASKS:
        raise UserError(
            f"{where} is `{dataset}`, of task {task}; a development set is one of task "
            f"{' or '.join(DEVELOPMENT_TASKS)}"
        )

"""Scores in the format of the MTEB's results, a file for each task.

Names, revisions and languages are those of the package mteb; a test compares them. The scores are
on this project's copies of the data.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text

# the version of mteb that the names, revisions and languages are from
MTEB_VERSION = "2.26.24"
# of a data set, also as SentEval gives it out: the task and the revision of its data
_STS = {
    "sts12": ("STS12", "a0d554a64d88156834ff5ae9920b964011b16384"),
    "sts13": ("STS13", "7e90230a92c190f1bf69ae9002b8cea547a64cca"),
    "sts14": ("STS14", "6031580fec1f6af667f0bd2da0a551cf4f0b2375"),
    "sts15": ("STS15", "ae752c7c21bf194d8b67fd573edf7ae58183cbe3"),
    "sts16": ("STS16", "4d8694f8f0e0100860b497b999b3dbed754a0513"),
    "stsb": ("STSBenchmark", "b0fddb56ed78048fa8b90373c8a3cfc37b684831"),
    "sickr": ("SICK-R", "20a6d6f312dd54037fe07a32d58e5e168867909d"),
}
_TATOEBA = ("Tatoeba", "69e8f12da6e31d59addadda9a9c8a2e601a0e282")
_TATOEBA_FILES = re.compile(r"tatoeba\.(?P<language>[a-z]{3})-eng$")
# of the languages of Tatoeba that are not written in Latin letters
_SCRIPTS = {
    **{"ara": "Arab", "ben": "Beng", "bul": "Cyrl", "cmn": "Hans", "ell": "Grek", "heb": "Hebr"},
    **{"hin": "Deva", "jpn": "Jpan", "kat": "Geor", "kaz": "Cyrl", "kor": "Hang", "mal": "Mlym"},
    **{"mar": "Deva", "pes": "Arab", "rus": "Cyrl", "tam": "Taml", "tel": "Telu", "tha": "Thai"},
    "urd": "Arab",
}
# metrics that MTEB has of our tasks, in addition to those that are scored anyway
FURTHER_METRICS = {"similarity": ("pearson",), "bitext-retrieval": ("f1",)}
# what MTEB calls ours; of its others (distances) none is scored here
_NAMES = {
    "spearman": ("cosine_spearman", "spearman", "main_score"),
    "pearson": ("cosine_pearson", "pearson"),
    "f1": ("f1", "main_score"),
    "accuracy": ("accuracy",),
}
# keys of model_meta.json
_NOT_KNOWN = (
    *("release_date", "languages", "n_parameters", "memory_usage_mb", "max_tokens", "embed_dim"),
    *("license", "open_weights", "public_training_code", "public_training_data"),
    *("use_instructions", "training_datasets", "loader"),
)


class MtebTask(NamedTuple):
    """What MTEB calls a data set."""

    name: str
    revision: str
    subset: str
    languages: list[str]


def mteb_task(name: str, entry: DatasetEntry) -> MtebTask | None:
    """Return the task of a data set of the catalogues, None where MTEB has none."""
    if name.removesuffix("-senteval") in _STS and entry.task == "similarity":
        task, revision = _STS[name.removesuffix("-senteval")]
        return MtebTask(task, revision, "default", ["eng-Latn"])
    if match := _TATOEBA_FILES.search(str(getattr(entry, "path", ""))):
        language = match["language"]
        languages = [f"{language}-{_SCRIPTS.get(language, 'Latn')}", "eng-Latn"]
        return MtebTask(*_TATOEBA, f"{language}-eng", languages)
    return None


def mteb_tasks(entries: Mapping[str, DatasetEntry]) -> dict[str, MtebTask]:
    """Return the tasks of data sets, by id; `UserError` for none, and for two that are one."""
    tasks: dict[str, MtebTask] = {}
    for name, entry in entries.items():
        if (task := mteb_task(name, entry)) is None:
            continue
        if task in tasks.values():
            problem = f"{name} and another data set are both MTEB's task {task.name}"
            raise UserError("--mteb", problem, "name one of them")
        tasks[name] = task
    if not tasks:
        known = f"{', '.join(_STS)} or tatoeba-*"
        raise UserError("--mteb", "none of the data sets is an MTEB task", f"name {known}")
    return tasks


def write_mteb_results(
    folder: Path,
    rows: Iterable[Mapping[str, Any]],
    tasks: Mapping[str, MtebTask],
    model: str,
    revision: str,
) -> list[Path]:
    """Write MODEL/REVISION/TASK.json below `folder`, as MTEB does; return the files of the tasks.

    `rows` are scores (dataset, metric, value); `model` is an encoder's name or hub id
    (id@revision), `revision` that of a name without one. MTEB wants an owner of each model: that of
    a name without one is `mirror-bert`. Files of the same tasks are replaced.
    """
    scores: dict[str, dict[str, Any]] = {}
    for row in rows:
        if row["dataset"] in tasks and row["metric"] in _NAMES:
            own = scores.setdefault(row["dataset"], {})
            own |= dict.fromkeys(_NAMES[row["metric"]], row["value"])
    name, _, commit = model.partition("@")
    name, revision = name if "/" in name else f"mirror-bert/{name}", commit or revision
    own_folder = folder / name.replace("/", "__") / revision
    contents: dict[str, dict[str, Any]] = {}
    for dataset, own in scores.items():
        task = tasks[dataset]
        content = contents.setdefault(task.name, _empty_result(task))
        own |= {"hf_subset": task.subset, "languages": task.languages}
        content["scores"]["test"].append(own | {"mteb_version": MTEB_VERSION})
    files = [_write(own_folder / f"{task}.json", content) for task, content in contents.items()]
    _write(own_folder / "model_meta.json", _model_meta(name, revision))
    return files


def _empty_result(task: MtebTask) -> dict[str, Any]:
    return {
        "dataset_revision": task.revision,
        "task_name": task.name,
        "mteb_version": MTEB_VERSION,
        "evaluation_time": None,
        "kg_co2_emissions": None,
        "scores": {"test": []},
    }


def _model_meta(name: str, revision: str) -> dict[str, Any]:
    """Return what MTEB wants to know of a model; what is not known here is None, as it has it."""
    return {
        "name": name,
        "revision": revision,
        "framework": ["Sentence Transformers", "PyTorch"],
        "similarity_fn_name": "cosine",
        **dict.fromkeys(_NOT_KNOWN),
    }


def _write(path: Path, content: dict[str, Any]) -> Path:
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    return path

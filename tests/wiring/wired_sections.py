"""Sections of keys in a project: one plan for all variations of a section, compared and run."""

import re
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple

from planned_jobs import Job, plan_jobs
from variations import Section, Variation, variations

from workflow_scripts.canonical import canonical

# the corpus that a method is tuned on
CORPORA = {"cmlm": "text", "mlm": "text", "quickthought": "text", "bitext": "pairs"}
CORPORA |= {"nli": "inference", "classify": "labelled"}
# of what a job writes, the files that hold strings, weights, vectors or scores
NUMBERS = {
    "sample_corpus": {".txt"},
    "read_dataset": {".txt", ".json"},
    "read_lexicon": {".txt", ".json"},
    "tune_encoder": {".safetensors", ".jsonl"},
    "embed_suite": {".npy"},
    "embed_static": {".npy"},
    "assemble_table": {".tsv"},
    "draw_figure": {".tsv"},
    "search_grid": {".json"},
    "choose_settings": {".tsv"},
    "write_table_block": set(),
    "write_figure_block": set(),
    "prepare_text": {".txt"},
    "train_tokenizer": {".json"},
    "train_word_vectors": {".safetensors"},
    "pretrain_model": {".safetensors", ".jsonl"},
}
ELSE = {".tsv", ".npy", ".npz", ".txt"}


class Pair(NamedTuple):
    """A variation of a key, and the ids that its two blocks have in the config."""

    variation: Variation
    before: str
    after: str


class Packed(NamedTuple):
    """A config with all variations of a section, and the targets that need them."""

    config: dict[str, Any]
    targets: list[str]
    pairs: list[Pair]

    def plan(self) -> list[Job]:
        return plan_jobs(self.config, self.targets)


def pack(config: dict[str, Any], name: str, keys: Mapping[str, Any], section: Section) -> Packed:
    """Return a config with a block for each value of each key of a section."""
    config, targets, ids = deepcopy(config), [], {}
    kind = name.split(".")[0]
    pairs = []

    def add(block: dict[str, Any], row: Mapping[str, Any], prefix: str) -> str:
        known = canonical([block, dict(row)])
        if known not in ids:
            ids[known] = f"{prefix}{len(ids)}x"
            targets.extend(_add(config, kind, ids[known], block, row))
        return ids[known]

    for one in variations(keys, section):
        before = add(one.before, one.row, "before")
        pairs.append(Pair(one, before, add(one.after, one.row, "after")))
    return Packed(config, targets, pairs)


def _table(row: Mapping[str, Any], dataset: str = "pairs") -> Any:
    column = {"id": "one", "label": "one", "dataset": dataset}
    return {
        **{"title": "A table", "paper": "first", "columns": [column]},
        "rows": [{"id": "row", "label": "row", **row}],
    }


def _add(
    config: dict[str, Any], kind: str, name: str, block: dict[str, Any], row: Mapping[str, Any]
) -> list[str]:
    """Add a block to a config as `name`, with a table that shows it; return the targets."""
    page = f"results/tables/blocks/{name}.json"
    config.setdefault(kind, {})[name] = block
    if kind in ("tables", "figures"):
        return [f"results/{kind}/{name}.tsv"]
    if kind == "dictionaries":
        return [f"results/dictionaries/{name}/links.tsv"]
    shown = {"model": "tiny", "recipe": "plain"}
    if kind == "corpora":
        shown |= {"recipe": "mirror", "corpus": name}
        config["tables"][name] = _table({**shown, **row})
        return [page, *([f"results/corpora/{name}.txt"] if block["kind"] != "absent" else [])]
    if kind == "datasets":
        # jobs of its own
        config["datasets"][name] = {"suite": name, **block}
        config["tables"][name] = _table({**shown, **row}, name)
        return [page, f"results/datasets/{name}/items.json"]
    if kind == "recipes":
        shown["recipe"] = name
        method, start = block["method"], block.get("start")
        if method != "none":
            shown["corpus"] = CORPORA.get(method, "strings")
        shown |= row
        config["tables"][name] = _table(shown)
        corpus = shown.get("corpus") or (start["corpus"] if start else "none")
        seed = 33 if corpus != "none" else 0
        return [
            page,
            f"results/embeddings/{shown['model']}/{name}/{corpus}/seed{seed}/similarity.npy",
        ]
    raise LookupError(kind)


def jobs_of(jobs: list[Job], name: str) -> dict[tuple[str, ...], Job]:
    """Return the jobs of an id by what they are of, the id replaced by another one."""
    chosen = [job for job in jobs if name in job.wildcards.values()]
    renamed = (job.renamed(name, "id") for job in chosen)
    return {(re.sub(r"_\d+$", "", job.rule), *job.key[1:]): job for job in renamed}


def wires(
    before: Mapping[Any, Job],
    after: Mapping[Any, Job],
    renamed: tuple[str, str, str] | None = None,
) -> dict[str, list[str]]:
    """Return the options that differ between jobs, "rule option", with their values after.

    A job that only one has is "rule added" or "rule gone"; `renamed` as in `Change`.
    """
    if renamed is not None:
        name, old_value, new_value = renamed
        old_name, new_name = f"{name}={old_value}", f"{name}={new_value}"
        before = {
            tuple(new_name if k == old_name else k for k in key): j for key, j in before.items()
        }
    found: dict[str, list[str]] = {}
    for key in {**before, **after}:
        if key not in before or key not in after:
            found.setdefault(f"{key[0]} {'added' if key in after else 'gone'}", [])
            continue
        old, new = before[key].options, after[key].options
        for option in {**old, **new}:
            if old.get(option) != new.get(option):
                found.setdefault(f"{key[0]} {option}", []).extend(new.get(option, ()))
    return found


class Base:
    """The jobs of a config, run once, and what other values of its keys change in them."""

    def __init__(self, config: dict[str, Any], targets: list[str], snakefile: str) -> None:
        self.config, self.targets, self.snakefile = config, targets, snakefile
        self._jobs: dict[str, dict[tuple[str, ...], Job]] = {}
        self._made: dict[str, dict[tuple[str, ...], dict[str, bytes | str]]] = {}

    def jobs(self, config: dict[str, Any]) -> dict[tuple[str, ...], Job]:
        """Return the jobs of a config by what they are of, planned once."""
        known = canonical(config)
        if known not in self._jobs:
            planned = plan_jobs(config, self.targets, self.snakefile)
            self._jobs[known] = {job.key: job for job in planned}
        return self._jobs[known]

    def numbers_change(self, before: dict[str, Any], after: dict[str, Any]) -> bool:
        """Return whether a number of a job that both configs have changes.

        Jobs of `after` that differ are run on what the others made, which stays, and those that
        read what they changed.
        """
        old, new = self.jobs(before), self.jobs(after)
        made = self._run_all(before)
        changed, other_files, left = False, set(), set()
        for key, job in new.items():
            if not job.runs or (job == old.get(key) and not other_files & {*job.inputs}):
                continue
            result = job.run()
            known = made.get(key, {})
            other_files |= {path for path, content in result.items() if known.get(path) != content}
            left |= result.keys() | known.keys()
            if key in old:
                changed |= numbers_of(job, result) != numbers_of(job, known)
            if "error" in result:
                break
        # whole folders too: a later job would read a file that is left
        whole = {path: content for files in made.values() for path, content in files.items()}
        for path in left - {"error"}:
            if path not in whole:
                Path(path).unlink(missing_ok=True)
            elif not path.endswith(".jsonl"):
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_bytes(whole[path])
        return changed

    def _run_all(self, config: dict[str, Any]) -> dict[tuple[str, ...], dict[str, bytes | str]]:
        known = canonical(config)
        if known not in self._made:
            self._made[known] = {k: job.run() for k, job in self.jobs(config).items() if job.runs}
        return self._made[known]


def numbers_of(job: Job, made: Mapping[str, bytes | str]) -> dict[str, bytes | str]:
    """Return those of a job's files that hold strings, weights, vectors or scores, or its error."""
    kept = NUMBERS.get(re.sub(r"_\d+$", "", job.rule), ELSE)
    return {path: one for path, one in made.items() if path == "error" or Path(path).suffix in kept}


class Outcomes:
    """What the jobs of a plan make, run when it is asked for, each once."""

    def __init__(self, jobs: list[Job]) -> None:
        self._jobs = jobs
        self._made: dict[tuple[str, ...], dict[str, bytes | str]] = {}
        self._maker = {output: job for job in jobs for output in job.outputs}

    def run(self, job: Job) -> dict[str, bytes | str]:
        if job.key not in self._made:
            for file in self._inputs(job):
                if error := self.run(self._maker[file]).get("error"):
                    self._made[job.key] = {"error": error}
                    return self._made[job.key]
            self._made[job.key] = job.run()
        return self._made[job.key]

    def _inputs(self, job: Job) -> list[str]:
        return [file for file in job.inputs if file in self._maker]

    def of(self, name: str) -> dict[str, bytes | str]:
        """Return the numbers of the jobs of an id, the id replaced by another one."""
        found: dict[str, bytes | str] = {}
        for job in self._jobs:
            if name in job.wildcards.values() and job.runs:
                for path, content in numbers_of(job, self.run(job)).items():
                    if isinstance(content, str):
                        found[path] = content.replace(name, "id")
                    else:
                        found[path.replace(name, "id")] = content.replace(name.encode(), b"id")
        return found

"""Command of rule `search_grid`: tune each cell of a slice and score it on the development set.

The slice holds a row for each cell and seed; that of the first cells also one for the untuned
model. A job that was killed goes on where it was (<output>.progress.jsonl).
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.dag.sources import digest_of
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import sha256_of, write_json
from workflow_scripts.imports import quick_imports
from workflow_scripts.retrieval.suite_files import field
from workflow_scripts.scoring.development_set import DevelopmentSet, read_development_set
from workflow_scripts.tuning.corpus_strings import Corpus, read_corpus
from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning.recipes import Recipe, parse_recipe
from workflow_scripts.tuning_grid.cells import Cell
from workflow_scripts.tuning_grid.progress import Progress
from workflow_scripts.tuning_grid.slice_scores import CellScore, write_slice

if TYPE_CHECKING:
    from workflow_scripts.embedding.encoder_folder import LoadedModel


@dataclass(frozen=True)
class GridSlice:
    """Consecutive cells of a grid, with what they have in common.

    `recipe` is the block that the cells change; `cells` holds a value for each of `axes`.
    """

    recipe_name: str
    recipe: dict[str, Any]
    dataset: str
    seeds: list[int]
    axes: list[str]
    first_cell: int
    cells: list[list[Any]]
    linking_similarity: str | None

    @property
    def numbered(self) -> list[Cell]:
        """The cells with their numbers in the whole grid."""
        return [
            Cell(self.first_cell + number, dict(zip(self.axes, values, strict=True)))
            for number, values in enumerate(self.cells)
        ]

    def recipe_of(self, settings: dict[str, Any]) -> Recipe:
        """Return the checked recipe of a cell; `UserError` if it is none that tunes."""
        recipe = parse_recipe(self.recipe_name, change_recipe(self.recipe, settings))
        if recipe.mirror is None:
            raise UserError(f"recipes.{self.recipe_name}.method: {recipe.method!r} tunes nothing")
        return recipe


@dataclass(frozen=True)
class SearchInputs:
    """The files of a search, read; `corpora` by how recipes want the corpus (`_way`)."""

    corpora: dict[tuple[bool, bool], Corpus]
    development: DevelopmentSet
    strings_sha256: str
    items_sha256: str

    def corpus_for(self, recipe: Recipe) -> Corpus:
        """Return the corpus as a recipe wants it."""
        return self.corpora[_way(recipe)]


def _way(recipe: Recipe) -> tuple[bool, bool]:
    """Return whether a recipe leaves out repeats and whether it takes lines for pairs."""
    return recipe.mirror.deduplicate, recipe.mirror.positives == "pairs"


@dataclass(frozen=True)
class Trial:
    """A score to make: `cell` is None for the untuned model."""

    cell: Cell | None
    seed: int
    score: Callable[[], CellScore]


def parse_slice(text: str) -> GridSlice:
    """Return the slice of a JSON block; `UserError` if it is malformed or has no cell."""
    try:
        block = GridSlice(**json.loads(text))
    except (json.JSONDecodeError, TypeError) as error:
        raise UserError(f"--block: not the block of a slice ({error})") from error
    if not block.cells or not block.seeds:
        raise UserError("--block: a slice needs a cell and a seed")
    return block


def read_inputs(
    corpus: str, recipes: Iterable[Recipe], development: DevelopmentSet, strings: str, items: str
) -> SearchInputs:
    """Return what a search reads but the model; `strings` and `items` are files of the suite.

    Raises `UserError` for a missing or malformed corpus.
    """
    ways = {_way(recipe) for recipe in recipes}
    return SearchInputs(
        corpora={way: read_corpus(corpus, *way) for way in ways},
        development=development,
        strings_sha256=sha256_of(strings),
        items_sha256=sha256_of(items),
    )


def search_slice(
    block: GridSlice,
    model: str,
    corpus: str,
    strings: str,
    items: str,
    output: Path,
    record_path: Path,
    threads: int = 1,
    device: str = "cpu",
) -> None:
    """Score the cells of a slice and write its rows (`output`) and the record of what made them.

    The arguments name files. Raises `UserError` for a block, corpus, suite or model that will not
    do; a single cell that fails gets no score but the reason.
    """
    untuned = block.recipe_of({})
    recipes = [untuned, *(block.recipe_of(cell.settings) for cell in block.numbered)]
    development = read_development_set(
        strings, items, block.dataset, block.linking_similarity, threads
    )
    inputs = read_inputs(corpus, recipes, development, strings, items)

    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        from workflow_scripts.embedding.torch_setup import set_up_torch
        from workflow_scripts.tuning_grid.cell_scores import load_for

    torch_device = set_up_torch(threads, device)
    loaded = load_for(model, recipes, torch_device)
    record = _record(inputs, inputs.corpus_for(untuned), loaded)
    progress = Progress(
        output.with_suffix(".progress.jsonl"),
        digest_of("tuning_grid.search_grid", vars(block), record, str(torch_device), threads),
    )
    scores = _make_scores(_trials(block, loaded, inputs), progress)
    write_slice(output, block.axes, block.numbered, scores)
    write_json(record_path, record)
    progress.remove()


def _record(inputs: SearchInputs, corpus: Corpus, loaded: "LoadedModel") -> dict[str, Any]:
    """Return what was tuned and scored with what: no settings, which are those of the config."""
    import tokenizers
    import torch
    import transformers

    return {
        "corpus": corpus.as_record(),
        "dataset": {
            "items": len(field(inputs.development.entry, "gold", "the development set")),
            "dropped": inputs.development.entry.get("dropped", {}),
            "items_sha256": inputs.items_sha256,
            "strings_sha256": inputs.strings_sha256,
        },
        "model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256},
        "versions": {
            "tokenizers": tokenizers.__version__,
            "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
    }


def _trials(block: GridSlice, loaded: "LoadedModel", inputs: SearchInputs) -> Iterator[Trial]:
    """Yield the scores to make: the untuned model's before the first cell, then cell by cell."""
    from workflow_scripts.tuning_grid.cell_scores import score_cell, score_untuned

    development = inputs.development
    if block.first_cell == 0:
        untuned = block.recipe_of({})
        yield Trial(None, 0, partial(score_untuned, loaded, untuned, development))
    for cell in block.numbered:
        recipe = block.recipe_of(cell.settings)
        own = inputs.corpus_for(recipe)
        for seed in block.seeds:
            score = partial(score_cell, loaded, cell.number, recipe, own, development, seed)
            yield Trial(cell, seed, score)


def _make_scores(trials: Iterable[Trial], progress: Progress) -> list[CellScore]:
    """Return the scores of the trials in order, those of a killed job taken from its progress."""
    if len(progress):
        print(f"going on after {len(progress)} scores of a killed job", file=sys.stderr)
    scores = []
    for trial in trials:
        score = progress.get(trial.cell.number if trial.cell else None, trial.seed)
        if score is None:
            score = trial.score()
            progress.add(score)
            _report(trial, score)
        scores.append(score)
    return scores


def _report(trial: Trial, score: CellScore) -> None:
    which = f"cell {trial.cell.number} {trial.cell.settings}" if trial.cell else "untuned"
    result = score.reason if score.value is None else f"{score.value:.4f}"
    print(f"{which}, seed {trial.seed}: {result}", file=sys.stderr, flush=True)


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="model folder or hub id")
    parser.add_argument("--corpus", required=True, help="text file, one string a line")
    parser.add_argument("--strings", required=True, help="strings of the suite, one a line")
    parser.add_argument("--items", required=True, help="items.json of the suite")
    parser.add_argument("--block", required=True, help="recipe, cells, seeds and data set as JSON")
    parser.add_argument("--output", required=True, type=Path, help="scores of the cells, tsv")
    parser.add_argument("--record", required=True, type=Path, help="what made them, json")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=("cpu", "cuda", "auto"), default="cpu")
    arguments = parser.parse_args(argv)
    search_slice(
        block=parse_slice(arguments.block),
        model=arguments.model,
        corpus=arguments.corpus,
        strings=arguments.strings,
        items=arguments.items,
        output=arguments.output,
        record_path=arguments.record,
        threads=arguments.threads,
        device=arguments.device,
    )


if __name__ == "__main__":
    run_command(main)

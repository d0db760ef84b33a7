"""Encoders from models and strings."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.corpora.lines_file import line_of, lines_file
from workflow_scripts.datasets.own_pairs import list_own_pairs
from workflow_scripts.datasets.read_dataset import number_items
from workflow_scripts.embedding.encoder import Encoder
from workflow_scripts.errors import UserError, nearest_name
from workflow_scripts.scoring.development_set import DevelopmentSet
from workflow_scripts.string_columns import require_lines
from workflow_scripts.tuning.methods.register import read_recipe_blocks
from workflow_scripts.tuning.recipe import change_recipe
from workflow_scripts.tuning.tune_encoder import RUNS, make_encoder

# a string, or a pair of strings
String = str | tuple[str, str]


def tune(
    model: str | Path | Encoder,
    strings: Iterable[String] | Path,
    *,
    recipe: str = "mirror-phrase",
    seed: int = 33,
    development: Iterable[tuple[str, str, float]] | None = None,
    development_every: int = 10,
    patience: int | None = None,
    device: str = "auto",
    threads: int | None = None,
    step_log: str | Path | None = None,
    report_to: str | Sequence[str] = (),
    tracking_folder: str | Path = RUNS,
    recipes: str | Path = CONFIG / "recipes.yaml",
    **changes: Any,
) -> Encoder:
    """Return the encoder that a recipe makes from a model and raw strings.

    The weights equal those of `mirror-bert tune` with the same model, strings, recipe and seed, for
    any number of threads. `model` is a folder, a hub id (`id@revision`) or an encoder; `strings` is
    a list or another iterable of strings (of pairs, for recipes that tune on pairs), or the path of
    a file with one per line. `recipe` names one of `recipes` (docs/reference/config.md lists the
    keys), and `changes` override its keys, as in `pooling="mean", learning_rate=3e-4`.
    `development` holds pairs (left string, right string, score): every `development_every` steps
    the model is scored on them by Spearman's correlation. The best weights are kept, and tuning
    stops after `patience` scores in a row without an improvement. `device` is "cpu", "cuda" or
    "auto"; `threads` sets the threads of torch (None: unchanged). `step_log` is a file for JSON
    lines; the trackers `report_to` ("tensorboard", "wandb" or both) get the same values, in
    `tracking_folder`. The model itself is not changed. Raises `UserError` for an invalid recipe,
    unusable strings or an unsuitable model.

    Source: Liu et al. 2021, sections 2 and 3, for the recipes `mirror-...`.
    """
    own_set: DevelopmentSet | None = None
    if development is not None:
        pairs = list_own_pairs(development, "development")
        own_strings, items = number_items(*pairs)
        own_set = DevelopmentSet(pairs.name, items, own_strings[None])
        scored = {"dataset": pairs.name, "every": development_every, "patience": patience}
        changes = {**changes, "development": scored}
    return _make(
        *(model, strings, _lines_of_strings, recipe, recipes, changes, threads),
        seed=seed,
        device=device,
        step_log=step_log,
        report_to=report_to,
        tracking_folder=tracking_folder,
        development=own_set,
    )


def train_cmlm(
    model: str | Path | Encoder,
    texts: Iterable[Sequence[str]] | Path,
    *,
    recipe: str = "cmlm-small",
    seed: int = 33,
    device: str = "auto",
    threads: int | None = None,
    step_log: str | Path | None = None,
    report_to: str | Sequence[str] = (),
    tracking_folder: str | Path = RUNS,
    recipes: str | Path = CONFIG / "recipes.yaml",
    **changes: Any,
) -> Encoder:
    """Return the encoder that conditional masked language modelling makes from a model and texts.

    `texts` holds documents, each a list of its sentences in order, or is the path of a file with
    one sentence per line and a blank line between documents. Documents of one sentence are left
    out. Everything else is as in `tune`. Source: Yang et al. 2021, sections 2 and 4.
    """
    return _make(
        *(model, texts, _lines_of_texts, recipe, recipes, changes, threads),
        seed=seed,
        device=device,
        step_log=step_log,
        report_to=report_to,
        tracking_folder=tracking_folder,
    )


def _make(
    model: str | Path | Encoder,
    corpus: Iterable[Any] | Path,
    lines_of: Callable[[Any], Iterator[str]],
    recipe: str,
    recipes: str | Path,
    changes: dict[str, Any],
    threads: int | None,
    **how: Any,
) -> Encoder:
    """Return the encoder that a recipe makes of a model and a corpus; `how` is for `make_encoder`.

    `lines_of` yields the lines of a corpus that is not a file.
    """
    block = _changed_recipe(recipe, recipes, changes)
    how["threads"] = threads or torch.get_num_threads()
    with _lines_file(corpus, lines_of) as path, _model_folder(model) as source:
        return make_encoder(source, str(path), recipe, block, output=None, **how)


def _changed_recipe(name: str, recipes: str | Path, changes: dict[str, Any]) -> Any:
    blocks = read_recipe_blocks(recipes)
    if name not in blocks:
        raise UserError(f"recipe {name!r}", f"not in {recipes}", nearest_name(name, blocks))
    # either says how long it trains, so that one replaces the other
    for given, other in (("steps", "epochs"), ("epochs", "steps")):
        if changes.get(given) is not None and other in blocks[name]:
            changes = {other: None, **changes}
    return change_recipe(blocks[name], changes)


@contextmanager
def _model_folder(model: str | Path | Encoder) -> Iterator[str]:
    """Yield the folder or hub id of a model; an encoder that has none is written to one."""
    if not isinstance(model, Encoder):
        yield str(model)
    elif model.loaded.folder is not None:
        yield str(model.loaded.folder)
    else:
        with tempfile.TemporaryDirectory(prefix="mirror-bert-") as parent:
            # by its name, which records have
            yield str(model.save(Path(parent) / model.name))


def _lines_of_strings(strings: Iterable[String]) -> Iterator[str]:
    """Yield a line for each string, or pair."""
    if isinstance(strings, str):
        raise UserError("strings", "a single string", "give a list of strings, or a Path")
    for number, string in enumerate(strings):
        yield line_of(string, f"strings[{number}]")


def _lines_of_texts(texts: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a line for each sentence, and a blank one after each document."""
    for number, document in enumerate(texts):
        where = f"texts[{number}]"
        if isinstance(document, str):
            raise UserError(where, "a string", "give a list of sentences for each document")
        lines = [line_of(sentence, f"{where}[{row}]") for row, sentence in enumerate(document)]
        # a blank one would end the document
        yield from filter(str.strip, lines)
        yield ""


@contextmanager
def _lines_file(
    corpus: Iterable[Any] | Path, lines_of: Callable[[Any], Iterator[str]]
) -> Iterator[Path]:
    """Yield the file of a corpus; lines that are not in a file are written to one first."""
    if isinstance(corpus, Path):
        require_lines("Path", corpus, "give what mirror_bert.read_strings returns of a column")
        yield corpus
        return
    with lines_file(lines_of(corpus)) as path:
        yield path

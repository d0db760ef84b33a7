"""How a cell compares with its paper: how it differs from it, and what it assumes."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from workflow_scripts.configuration.blocks import Block
from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.configuration.yaml_files import read_mapping
from workflow_scripts.corpora.block import CorpusBlock
from workflow_scripts.datasets.entry import DatasetEntry
from workflow_scripts.plan.cell_requests import CellRequest
from workflow_scripts.plan.typed import Typed
from workflow_scripts.tables.document import OWN
from workflow_scripts.tuning.recipe import Recipe, resolve_likes


@cache
def frozen(paper: str) -> dict[str, Any]:
    """Return the paper's own recipes and settings, from config/reference/<paper>/recipes.yaml.

    {"recipes": {name: block}, "assumed": {name: what of it the paper does not state}, "retrieval":
    {task: {key: value}}, "classification": {key: value}}, `like` resolved. They are a copy: an edit
    of config/recipes.yaml makes a difference from the paper.
    """
    file = CONFIG / "reference" / paper / "recipes.yaml"
    content = read_mapping(file) if file.is_file() else {}
    recipes = resolve_likes(content.get("recipes", {}))
    others = ("assumed", "retrieval", "classification")
    return {"recipes": recipes, **{key: content.get(key, {}) for key in others}}


class Comparability(NamedTuple):
    """How a cell differs from its paper; without differences it is compared with its value.

    `assumptions` say what the paper leaves open and is read in one way here.
    """

    differences_from_paper: list[str]
    assumptions: list[str]


def comparability(typed: Typed, paper: str, request: CellRequest) -> Comparability:
    """Return how a cell that is run compares with its paper; a table of your own has none."""
    if paper == OWN:
        return Comparability([], [])
    published, dataset = frozen(paper), typed.datasets[request.dataset]
    reasons, assumed = [], _assumed(f"data set {request.dataset}", dataset.assumed)
    if paper not in typed.config.data.paper:
        reasons.append("the data are not the paper's")
    elif dataset.unlike_paper is not None:
        reasons.append(f"data set {request.dataset}: {dataset.unlike_paper}")
    reasons += _whitespace(f"data set {request.dataset}", dataset)
    for encoder in request.encoders[0]:
        if (trained := typed.trained.get(encoder)) is not None:
            reasons.append(f"trained before this run: {trained.text}")
        for name in typed.recipes_of(encoder):
            block, recipe = typed.blocks["recipes"][name], typed.recipes[name]
            reasons += _recipe_differences(name, block, published, type(recipe))
            assumed += _assumed(f"recipe {name}", published["assumed"].get(name))
        if paper not in typed.models[encoder.model].paper:
            reasons.append(f"model {encoder.model} is not the paper's")
        for name in typed.corpora_of(encoder):
            corpus = typed.corpora[name]
            if paper not in corpus.paper:
                reasons.append(f"corpus {name} is not the paper's")
            reasons += _whitespace(f"corpus {name}", corpus)
            assumed += _assumed(f"corpus {name}", corpus.assumed)
    task = dataset.task
    for section, values in published["retrieval"].get(task, {}).items():
        block = getattr(typed.config.retrieval, section)
        reasons += _setting_differences(f"retrieval.{section}", block, values)
    # the layer of `relatedness` is trained in one way
    if task == "classification":
        block, values = typed.config.classification, published["classification"]
        reasons += _setting_differences("classification", block, values)
    return Comparability(unique(reasons), unique(assumed))


def _assumed(name: str, what: str | None) -> list[str]:
    return [] if what is None else [f"{name}: {what}"]


def _setting_differences(section: str, block: Block, published: Mapping[str, Any]) -> list[str]:
    return [
        f"{section}: {key} {getattr(block, key)}, in the paper {value}"
        for key, value in published.items()
        if getattr(block, key) != value
    ]


def _whitespace(name: str, block: CorpusBlock | DatasetEntry) -> list[str]:
    usual = type(block).model_fields["whitespace"].default
    same = block.whitespace == usual
    return [] if same else [f"{name}: whitespace {block.whitespace}, in the paper {usual}"]


def _recipe_differences(
    name: str,
    block: Mapping[str, Any],
    published: Mapping[str, Any],
    kind: type[Recipe],
) -> list[str]:
    """Return what differs between a recipe and the paper's of that name, as short texts.

    They do not name the recipe, so that the same change of many recipes reads as one. A key that is
    left out has its default, that of recipes of the `kind`.
    """
    paper_block = published["recipes"].get(name)
    if paper_block is None:
        return [f"recipe {name} is not the paper's"]
    fields = kind.model_fields.items()
    defaults = {key: field.default for key, field in fields if not field.is_required()}
    differences = []
    for key in {**paper_block, **block}:
        own, paper = (values.get(key, defaults.get(key)) for values in (block, paper_block))
        if own != paper:
            differences.append(f"recipe: {key} {_text(own)}, in the paper {_text(paper)}")
    return differences


def _text(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(inner)}" for key, inner in value.items())
    return str(value)


def unique(reasons: Iterable[str]) -> list[str]:
    """Return the different reasons in order."""
    return list(dict.fromkeys(reasons))

"""The report of a search: its table of all cells, and a page to read."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from workflow_scripts.tuning.recipe import change_recipe
from workflow_scripts.tuning_grid.ranking import RankedCell

BEST_SHOWN = 10


def write_table(axes: Sequence[str], ranked: Sequence[RankedCell]) -> str:
    """Return all cells as tab-separated text, best first; the values of the axes as JSON."""
    rows = [["rank", "cell", *axes, "mean", "deviation", "seeds", "reason"]]
    for cell in ranked:
        settings = [json.dumps(cell.settings[axis]) for axis in axes]
        numbers = ["" if x is None else f"{x:.6f}" for x in (cell.mean, cell.deviation)]
        rank = "" if cell.rank is None else str(cell.rank)
        rows.append([rank, str(cell.number), *settings, *numbers, str(cell.scores), cell.reason])
    return "".join("\t".join(row) + "\n" for row in rows)


def recipe_line(recipe_name: str, changes: Mapping[str, Any]) -> str:
    """Return the line of YAML that sets the changes when put below `recipes:` of a config."""
    block = {recipe_name: change_recipe({}, changes)}
    options = {"default_flow_style": True, "sort_keys": False, "width": 10_000}
    # a block of one key in flow style: {name: {...}}
    return "  " + yaml.safe_dump(block, **options, allow_unicode=True).strip()[1:-1]


def write_report(
    search: Mapping[str, Any],
    record: Mapping[str, Any],
    ranked: Sequence[RankedCell],
    means: Sequence[tuple[str, Any, float | None, int]],
    result: Mapping[str, Any],
) -> str:
    """Return the page of a search in Markdown, from its block of config and `choose`'s `result`."""
    axes, metric, seeds = dict(search["axes"]), search["metric"], search["seeds"]
    missing = result["cells"] - result["ranked"]
    own_words = "not a cell of the grid"
    if own := result["recipe_settings"]:
        own_words = f"{_shown(own['mean'], own['deviation'])} (rank {own['rank']})"
        own_words = "no score" if own["rank"] is None else own_words
    scores = [
        ["best cell", _shown(result["best"]["mean"], result["best"]["deviation"])],
        ["the recipe's own values", own_words],
        ["untuned model", _shown(result["untuned"])],
    ]
    best = [
        [cell.rank, *map(json.dumps, cell.settings.values()), _shown(cell.mean, cell.deviation)]
        for cell in ranked[:BEST_SHOWN]
        if cell.rank is not None
    ]
    by_value = [[axis, json.dumps(v), _shown(mean), cells] for axis, v, mean, cells in means]
    changes = {**search["set"], **result["best"]["settings"]}
    sections = [
        f"# Search {search['name']}",
        f"Recipe `{search['recipe_name']}` for model `{record['model']['name']}`, tuned on\n"
        f"{record['corpus']['strings']} strings of corpus `{search['corpus']}` with "
        f"seed{'s' if len(seeds) > 1 else ''} {_listed(seeds)}; scored on\n"
        f"`{search['dataset']}` ({record['dataset']['items']} items of {search['data']}), "
        f"{metric}.",
        f"{result['cells']} cells, every combination of",
        "\n".join(f"- `{axis}`: {_listed(values)}" for axis, values in axes.items()),
        f"Fixed for all cells: `{json.dumps(search['set'])}`." if search["set"] else "",
        _table(["", metric], scores),
        "The settings of the best cell were chosen on this data set: its score there does\n"
        "not estimate their score elsewhere. As a line below `recipes:` of a config:",
        f"```yaml\n{recipe_line(search['recipe_name'], changes)}\n```",
        "## Best cells",
        _table(["rank", *axes, "score"], best),
        "Among cells with equal means, the one with fewer epochs comes first, then the one\n"
        "earlier in the grid.",
        f"Without a rank: {missing} of {result['cells']} cells, in which a seed gave no "
        "score; the table of all cells says why."
        if missing
        else "",
        "## Mean over all cells with a value",
        _table(["axis", "value", "mean", "cells"], by_value),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(json.dumps(value) for value in values)


def _shown(mean: float | None, deviation: float | None = None) -> str:
    if mean is None:
        return "-"
    return f"{mean:.4f}" if deviation is None else f"{mean:.4f} ± {deviation:.4f}"


def _table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    lines = (header, ["---"] * len(header), *rows)
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)

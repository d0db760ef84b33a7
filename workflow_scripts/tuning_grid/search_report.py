"""The report of a search: its table of all cells, and a page to read."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from workflow_scripts.tuning.recipe_changes import change_recipe
from workflow_scripts.tuning_grid.ranking import RankedCell, ValueMean

BEST_SHOWN = 10


def write_table(axes: Sequence[str], ranked: Sequence[RankedCell]) -> str:
    """Return all cells as tab-separated text, best first; the values of the axes as JSON."""
    lines = ["\t".join(["rank", "cell", *axes, "mean", "deviation", "seeds", "reason"])]
    for one in ranked:
        lines.append(
            "\t".join(
                [
                    "" if one.rank is None else str(one.rank),
                    str(one.cell.number),
                    *(json.dumps(one.cell.settings[axis]) for axis in axes),
                    "" if one.mean is None else f"{one.mean:.6f}",
                    "" if one.deviation is None else f"{one.deviation:.6f}",
                    str(one.scores),
                    one.reason,
                ]
            )
        )
    return "\n".join(lines) + "\n"


def recipe_line(recipe_name: str, changes: Mapping[str, Any]) -> str:
    """Return the line of YAML that sets the changes when put below `recipes:` of a config."""
    line = yaml.safe_dump(
        {recipe_name: change_recipe({}, changes)},
        default_flow_style=True,
        sort_keys=False,
        width=10_000,
        allow_unicode=True,
    )
    # a block of one key in flow style: {name: {...}}
    return "  " + line.strip()[1:-1]


def write_report(
    search: Mapping[str, Any],
    record: Mapping[str, Any],
    ranked: Sequence[RankedCell],
    means: Sequence[ValueMean],
    result: Mapping[str, Any],
) -> str:
    """Return the page of a search in Markdown.

    `search` is its block of config, `record` what its slices were made with, `result` what
    `choose_settings` found: best, recipe_settings, untuned, cells and ranked.
    """
    axes = dict(search["axes"])
    best = [one for one in ranked if one.rank is not None][:BEST_SHOWN]
    changes = {**search["set"], **result["best"]["settings"]}
    sections = [
        f"# Search {search['name']}",
        _what_was_searched(search, record),
        f"{result['cells']} cells, every combination of",
        "\n".join(f"- `{axis}`: {_listed(values)}" for axis, values in axes.items()),
        f"Fixed for all cells: `{json.dumps(search['set'])}`." if search["set"] else "",
        _score_table(search["metric"], result),
        "The settings of the best cell were chosen on this data set: its score there is no\n"
        "estimate of what they reach elsewhere. As a line below `recipes:` of a config:",
        f"```yaml\n{recipe_line(search['recipe_name'], changes)}\n```",
        "## Best cells",
        _cell_table(list(axes), best),
        "Of cells with equal means the one with fewer epochs stands first, then the first in the\n"
        "grid.",
        _missing_words(result["cells"] - result["ranked"], result["cells"]),
        "## Mean over all cells with a value",
        _mean_table(means),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _what_was_searched(search: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    seeds = search["seeds"]
    return (
        f"Recipe `{search['recipe_name']}` for model `{record['model']['name']}`, tuned on\n"
        f"{record['corpus']['strings']} strings of corpus `{search['corpus']}` with "
        f"seed{'s' if len(seeds) > 1 else ''} {_listed(seeds)}; scored on\n"
        f"`{search['dataset']}` ({record['dataset']['items']} items of {search['data']}), "
        f"{search['metric']}."
    )


def _score_table(metric: str, result: Mapping[str, Any]) -> str:
    best = result["best"]
    lines = [
        _row(["", metric]),
        _row(["---"] * 2),
        _row(["best cell", _shown(best["mean"], best["deviation"])]),
        _row(["the recipe's own values", _own(result["recipe_settings"])]),
        _row(["untuned model", _shown(result["untuned"], None)]),
    ]
    return "\n".join(lines)


def _missing_words(missing: int, cells: int) -> str:
    if not missing:
        return ""
    return (
        f"Without a rank: {missing} of {cells} cells, where a seed gave no score; "
        "the table of all cells says why."
    )


def _listed(values: Sequence[Any]) -> str:
    return ", ".join(json.dumps(value) for value in values)


def _shown(mean: float | None, deviation: float | None) -> str:
    if mean is None:
        return "-"
    return f"{mean:.4f}" if deviation is None else f"{mean:.4f} ± {deviation:.4f}"


def _own(settings: Mapping[str, Any] | None) -> str:
    if settings is None:
        return "not a cell of the grid"
    if settings["rank"] is None:
        return "no score"
    return f"{_shown(settings['mean'], settings['deviation'])} (rank {settings['rank']})"


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell_table(axes: Sequence[str], ranked: Sequence[RankedCell]) -> str:
    lines = [_row(["rank", *axes, "score"]), _row(["---"] * (len(axes) + 2))]
    for one in ranked:
        settings = [json.dumps(one.cell.settings[axis]) for axis in axes]
        lines.append(_row([str(one.rank), *settings, _shown(one.mean, one.deviation)]))
    return "\n".join(lines)


def _mean_table(means: Sequence[ValueMean]) -> str:
    lines = [_row(["axis", "value", "mean", "cells"]), _row(["---"] * 4)]
    for one in means:
        lines.append(
            _row([one.axis, json.dumps(one.value), _shown(one.mean, None), str(one.cells)])
        )
    return "\n".join(lines)

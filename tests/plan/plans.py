"""Plans of configs that a test makes."""

from workflow_scripts.configuration.layers import Layers
from workflow_scripts.plan.plan import Plan


def plan_of(config):
    return Plan(Layers(config, {}))


def rows_of(config, table):
    return {row["id"]: row for row in plan_of(config).outputs.resolved("tables", table)["rows"]}


def set_key(config, path, value):
    *parents, last = path.split("/")
    for key in parents:
        config = config[int(key) if key.isdigit() else key]
    config[int(last) if last.isdigit() else last] = value

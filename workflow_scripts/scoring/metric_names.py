"""The module of a metric by its name, and those that score development sets. Light to import."""

from types import ModuleType

from workflow_scripts import plugins

_PACKAGE = "scoring.metrics"


def metric_module(name: str) -> str:
    """Return the module of a metric: scoring.metrics.spearman, of accuracy@5 ... .accuracy_at."""
    return plugins.module_of(_PACKAGE, _file(name))


def load_metric(name: str) -> tuple[ModuleType, tuple[int, ...]]:
    """Return the imported module of a metric, and the number in its name if there is one."""
    _, _, number = name.partition("@")
    return plugins.load(_PACKAGE, _file(name)), (int(number),) if number else ()


def _file(name: str) -> str:
    base, at, _ = name.partition("@")
    return f"{base}_at" if at else base


def primary_modules(task: str) -> list[str]:
    """Return the modules that score a task by its primary metric and are loaded by name."""
    primary = plugins.load("scoring.tasks", task).PRIMARY
    return [plugins.module_of("scoring.tasks", task), metric_module(primary)]


def development_modules(task: str) -> list[str]:
    """Return the modules that score development sets of a task and are loaded by name."""
    return ["scoring.development_scores", *primary_modules(task)]

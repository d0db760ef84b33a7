"""Modules that are chosen by name: the method of a recipe, the task or format of a data set, ...

Each lies in a folder of its kind, named as what it is chosen by, and has a line in that folder's
register. A register is read where a config is checked. A step gets the one name that it needs and
loads that module alone, so that a further module reruns nothing of the others.
"""

import importlib
from types import ModuleType


def module_of(package: str, name: str) -> str:
    """Return the module of `name` in a package: ("tuning.methods", "my-way") ->
    tuning.methods.my_way.

    The form is the one that `sources.sources` takes.
    """
    return f"{package}.{name.replace('-', '_')}"


def load(package: str, name: str) -> ModuleType:
    """Return the imported module of `name`; it must have a line in the package's register."""
    return importlib.import_module(f"workflow_scripts.{module_of(package, name)}")

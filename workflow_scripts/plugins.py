"""Modules that are chosen by name: the method of a recipe, the task or format of a data set, ...

Each is in the folder of its kind, bears the name that it is chosen by, and has a line in that
folder's register. Registers are read when a config is checked. A step gets the one name that it
needs and loads that module alone, so that adding a module reruns no step of the others.
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

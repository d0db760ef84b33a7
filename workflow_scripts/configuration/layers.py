"""Config files that override each other, and which file each key comes from."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.configuration.yaml_files import read_mapping, read_scalars, repeat_blocks
from workflow_scripts.errors import ConfigError, UserError, nearest_name

_PACKAGE = Path(__file__).resolve().parents[1]
# inside the package where pip installed it (setup.py), next to the package in a checkout
_INSTALLED = _PACKAGE / "config"
CONFIG = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "config"
DEFAULT = CONFIG / "config.yaml"
# how messages name the `config` that a workflow passes when it imports this one
MODULE_CONFIG = Path("the module's config")
# the keys that define a block: a block that sets one replaces the block below it as a whole
_NATURE = {
    "models": {"path", "hub", "vectors", "same_as", "absent"},
    "corpora": {"kind"},
    "datasets": {"format"},
    "recipes": {"method", "like"},
}


class Layers(NamedTuple):
    """A merged config; `files` has the file of each path of keys that a file sets."""

    config: dict[str, Any]
    files: dict[tuple[str, ...], str]

    def note(self, path: tuple[str, ...], file: str) -> None:
        """Note that a path of keys was last set in a file; `files` keeps that order."""
        self.files.pop(path, None)
        self.files[path] = file

    def file_of(self, path: tuple[str, ...]) -> str:
        """Return the file in which a path of keys, or what is above it, was last set."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.files:
                return self.files[path[:length]]
        return "config"

    def file_to_fix(self, path: tuple[str, ...]) -> str:
        """Return the file to name for a mistake in the value of a path of keys.

        Of a block that is the one that overrides the others there, whose parts fit together.
        """
        below = [file for keys, file in self.files.items() if keys[: len(path)] == path]
        return below[-1] if below else self.file_of(path)


def read_layers(
    files: Iterable[str | Path | Mapping[str, Any]],
    options: Mapping[str, Any] | None = None,
    default: Path = DEFAULT,
) -> Layers:
    """Return the config of `files`, each overriding those before it, and of the command line.

    The first file overrides the files that its key `base` names (relative to it, or else among the
    shipped ones; `none` for no base), or else the file `default`, which is read alone if there are
    no files. A block, the config of a module, may be passed instead of a file. Blocks are merged
    key by key; lists and values are replaced; `key+` appends to the list below; a mapping over a
    list of blocks with an `id` (rows, columns) changes the blocks that it names. A model, corpus,
    data set or recipe that sets one of the keys that define it replaces the one below as a whole.
    An entry that is null is removed. Raises `UserError` as `read_mapping` does; for a `base` that
    is not a file, is circular, or is in a file other than the first; for a `key+` without a list
    below; and for an id that the list below does not have.
    """
    layers = Layers({}, {})
    for number, item in enumerate([*files] or [default]):
        if isinstance(item, Mapping):
            file, block = MODULE_CONFIG, repeat_blocks(item, str(MODULE_CONFIG))
        else:
            file, block = Path(item), read_mapping(item)
        if number == 0:
            below = [] if file.resolve() == default.resolve() else [default]
            _lay_bases(layers, file, block, below, (), set())
        elif "base" in block:
            raise ConfigError(
                file, "base", "belongs in the first of several config files", "remove it"
            )
        _lay(layers, block, _shown(file))
    _lay(layers, read_scalars(options or {}), "--config")
    return layers


def _lay_bases(
    layers: Layers,
    file: Path,
    block: dict[str, Any],
    default: list[Path],
    above: tuple[Path, ...],
    laid: set[Path],
) -> None:
    """Lay the files below `file`, taking the key `base` out of its block.

    One that several files name is laid once, before the first of them: again it would undo what the
    first overrides.
    """
    base = block.pop("base", None)
    if base == "none":
        return
    names = [base] if isinstance(base, str) else base
    if not isinstance(names, list | None) or not all(isinstance(n, str) for n in names or ()):
        raise ConfigError(file, "base", f"is {base!r}", "name a file, a list of files, or none")
    for path in default if names is None else [_base_file(file, name) for name in names]:
        # as false for a name that none can have
        if not os.path.isfile(path):
            raise ConfigError(file, "base", f"names {str(path)!r}, which is no file", "fix it")
        if path.resolve() in above:
            raise ConfigError(file, "base", f"is circular, through {path}", "break it")
        if path.resolve() in laid:
            continue
        laid.add(path.resolve())
        below = read_mapping(path)
        _lay_bases(layers, path, below, [], (*above, file.resolve()), laid)
        _lay(layers, below, _shown(path))


def _base_file(file: Path, name: str) -> Path:
    """Return a file that another one names: next to it, or else a shipped one."""
    own, shipped = file.parent / name, CONFIG / name
    return shipped if not os.path.lexists(own) and os.path.isfile(shipped) else own


def _shown(file: Path) -> str:
    """Return a file as messages name it: relative to the folder of the run where it is below."""
    if file is MODULE_CONFIG:
        return str(file)
    path = file.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(file)


def _lay(layers: Layers, block: Mapping[str, Any], file: str) -> None:
    layers.config.update(_over(layers, layers.config, block, (), file))


def _over(layers: Layers, below: Any, value: Any, path: tuple[str, ...], file: str) -> Any:
    """Return `value` laid over what is below it, and note where it comes from."""
    if not isinstance(value, Mapping):
        layers.note(path, file)
        return value
    if isinstance(below, list) and below and all(_has_id(entry) for entry in below):
        return _changed(layers, below, value, path, file)
    anew = len(path) == 2 and _NATURE.get(path[0], set()) & value.keys()
    if anew or not isinstance(below, Mapping):
        layers.note(path, file)
        below = {}
    merged = dict(below)
    for key, inner in value.items():
        if str(key).endswith("+"):
            if (name := str(key).removesuffix("+")) in value:
                shown = ".".join((*path, name))
                raise UserError(file, f"has both `{shown}` and `{shown}+`", "write one of them")
            key, inner = _added(merged, key, inner, (*path, str(key)), file)
        if inner is None and len(path) == 1 and key in merged:
            del merged[key]
        else:
            merged[key] = _over(layers, merged.get(key), inner, (*path, str(key)), file)
    return merged


def _has_id(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "id" in entry


def _changed(
    layers: Layers, below: list[Any], changes: Mapping[str, Any], path: tuple[str, ...], file: str
) -> list[Any]:
    """Return a list of blocks with an id, those that `changes` names changed key by key."""
    ids = [str(entry["id"]) for entry in below]
    for name in changes:
        if str(name) not in ids:
            shown = ".".join((*path, str(name)))
            problem = f"changes `{name}`, which is not in the list that it changes"
            raise ConfigError(file, shown, problem, nearest_name(str(name), ids))
    return [
        _over(layers, entry, changes[name], (*path, name), file) if name in changes else entry
        for name, entry in zip(ids, below, strict=True)
    ]


def _added(
    below: Mapping[str, Any], key: str, more: Any, path: tuple[str, ...], file: str
) -> tuple[str, list[Any]]:
    """Return the name of `key+` and the list below it with `more` after its items."""
    name, shown = key.removesuffix("+"), ".".join(path)
    if not isinstance(more, list):
        raise ConfigError(file, shown, f"is {more!r}", "give a list of items to add")
    if not isinstance(below.get(name), list):
        remedy = f"check the keys above it, or write `{name}`"
        raise ConfigError(
            file, shown, "adds to a list that does not exist in the configs below", remedy
        )
    return name, [*below[name], *more]

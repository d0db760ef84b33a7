"""The models of a config: what an id stands for, its files, and what the tables call it."""

import glob
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from workflow_scripts.configuration.blocks import wildcard_error, wildcard_in
from workflow_scripts.configuration.config import Model
from workflow_scripts.downloads.model_folders import HubModel
from workflow_scripts.errors import ConfigError, UserError
from workflow_scripts.tables.numbers import OF_MODELS

# what a folder must hold to be a model
WEIGHTS = "model.safetensors"


class Models:
    """The models of a config, by id.

    `root` is the data root, `fetched` the folder of models of the hub, `results` that of the run.
    """

    def __init__(
        self, blocks: Mapping[str, Model], root: Path, fetched: Path, results: str = "results"
    ) -> None:
        self._blocks = blocks
        self._results = results
        # the files of static models, below the data root
        self.static = {
            model: str(root / block.vectors)
            for model, block in blocks.items()
            if block.vectors is not None
        }
        # the repositories and commits of those of the hub
        self.hub = {
            model: HubModel(block.hub, block.revision)
            for model, block in blocks.items()
            if block.hub is not None and block.revision is not None
        }
        # where models are loaded from; those of the hub are there once they were fetched
        self._folders = {model: block.path for model, block in blocks.items() if block.path}
        self._folders |= {model: str(fetched / hub.folder_name) for model, hub in self.hub.items()}
        self._files_below = cache(files_below)

    def weights_sha256(self, model: str) -> list[str]:
        """Return the hashes that weights of the hub must have, of all ids that share them."""
        hashes = {self._blocks[other].weights_sha256 for other in self._same_on_hub(model)}
        return sorted(sha256 for sha256 in hashes if sha256 is not None)

    def record(self, model: str) -> str:
        """Return the record that fetching a model of the hub leaves."""
        # ids of one repository and commit share it: two jobs would fetch into one folder
        return f"{self._results}/downloads/models/{self._same_on_hub(model)[0]}.json"

    def _same_on_hub(self, model: str) -> list[str]:
        return [other for other in self.hub if self.hub[other] == self.hub[model]]

    def files(self, model: str) -> list[str]:
        """Return what a step with a model depends on: its files, or the record of its download."""
        if model in self.hub:
            return [self.record(model)]
        return self._files_below(self._folders[model])

    def location(self, model: str) -> str:
        """Return the folder of a model."""
        return self._folders[model]

    def require_files(self, model: str) -> None:
        """Raise `UserError` if there is no such model, or its local folder lacks files."""
        if (reason := self._blocks[model].absent) is not None:
            raise ConfigError(
                "config", f"models.{model}", f"is absent ({reason})", "give it a path or hub"
            )
        path = self._blocks[model].path
        for file in ("config.json", WEIGHTS):
            if path is not None and not (Path(path) / file).is_file():
                raise UserError(
                    f"config: `models.{model}.path`",
                    f"{path} has no {file}",
                    "give the folder of a model saved with save_pretrained (safetensors)",
                )
        for file in self.files(model) if path is not None else ():
            if wildcard := wildcard_in(file):
                raise wildcard_error(file, wildcard)

    def note(self, model: str) -> str:
        """Return what tables call a model; no paths of the machine, a file by its last name."""
        return self._blocks[model].label or self._shown_location(model)

    def text_of(self, model: str, what: str) -> str | None:
        """Return a property of a model as tables show it: its address, or a key of its block."""
        if what == "address":
            return self._shown_location(model)
        value = getattr(self._blocks[model], what)
        return None if value is None else OF_MODELS.get(what, str)(value)

    def _shown_location(self, model: str) -> str:
        block = self._blocks[model]
        if model in self.hub:
            return self.hub[model].address
        return Path(block.path or block.vectors or "").name

    def listing(self, published: Mapping[str, str], paper: str | None) -> list[dict[str, Any]]:
        """Return {id, label, location, published, paper} of models.

        First those that `published` has, in its order, with what the paper printed of each, then
        the others of this config that are no second names; `paper` says whether a model is the
        paper's.
        """
        others = [model for model, block in self._blocks.items() if block.same_as is None]
        rows = []
        for model in dict.fromkeys([*published, *others]):
            block = self._blocks.get(model, Model(absent="this config has none"))
            if block.absent is not None:
                location = f"none: {block.absent}"
            else:
                location = block.same_as or self._shown_location(model)
            row: dict[str, Any] = {"id": model, "label": block.label or model, "location": location}
            row["paper"] = paper in block.paper
            if model in published:
                row["published"] = published[model]
            rows.append(row)
        return rows


def files_below(folder: str) -> list[str]:
    """Return all files below a folder, sorted, hidden ones aside: a tokenizer may read any."""
    paths = (f"{folder}/{name}" for name in glob.glob("**", root_dir=folder, recursive=True))
    return sorted(path for path in paths if Path(path).is_file())

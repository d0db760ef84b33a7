"""Encoders that were trained before a run and stand for some of its rows (`trained_encoders`)."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.configuration.config import Model, TrainedEncoder
from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.errors import ConfigError, UserError, nearest_name
from workflow_scripts.files import read_json
from workflow_scripts.plan.encoders import Encoder
from workflow_scripts.plan.models import WEIGHTS, Models
from workflow_scripts.tuning.recipe import Recipe

# what a folder must hold to be an encoder
_FILES = ("encoder.json", "config.json", WEIGHTS)


class Trained(NamedTuple):
    """The folder of an encoder that was trained before, and what its record says of it."""

    path: str
    record: Mapping[str, Any]

    @property
    def text(self) -> str:
        """What pages say of it: cmlm-en-mini, cmlm of bert-en-mini, 4,000 steps, seed 33."""
        steps = self.record["tuning"]["steps"]
        method, start = self.record["recipe"]["method"], self.record["model"]["name"]
        seed = self.record["seed"]
        return f"{Path(self.path).name}, {method} of {start}, {steps:,} steps, seed {seed}"


def read_trained_encoders(
    entries: list[TrainedEncoder], models: Mapping[str, Model], recipes: Mapping[str, Recipe]
) -> dict[Encoder, Trained]:
    """Return the folders of `trained_encoders` by the encoder that each stands for.

    The seed is that of the folder's record. Raises `UserError` for an unknown model or recipe, for
    a folder that holds no encoder of this project, and for one of another method or pooling than
    the recipe's: its rows would show something else than their labels say.
    """
    trained: dict[Encoder, Trained] = {}
    for number, entry in enumerate(entries):
        where = f"trained_encoders.{number}"
        for key, known in (("model", models), ("recipe", recipes)):
            if (name := getattr(entry, key)) not in known:
                problem = f"is `{name}`, which is not in `{key}s`"
                raise ConfigError("config", f"{where}.{key}", problem, nearest_name(name, known))
        folder = Path(entry.path)
        for file in _FILES:
            if not (folder / file).is_file():
                raise ConfigError(
                    "config",
                    f"{where}.path",
                    f"is {entry.path}, which has no {file}",
                    "give the folder of an encoder that `mirror-bert tune` or a run wrote",
                )
        record = read_json(folder / "encoder.json")
        recipe = recipes[entry.recipe]
        try:
            made = {key: record["recipe"][key] for key in ("method", "pooling")}
            _ = record["model"]["weights_sha256"]
            model = models[entry.model].same_as or entry.model
            encoder = Encoder(model, entry.recipe, entry.corpus, int(record["seed"]))
            trained[encoder] = Trained(entry.path, record)
            _ = trained[encoder].text
        except (KeyError, TypeError, ValueError) as error:
            raise UserError(
                folder / "encoder.json", "is no record of a tuned encoder", "tune it again"
            ) from error
        for key, value in made.items():
            if value != getattr(recipe, key):
                raise ConfigError(
                    "config",
                    f"{where}.path",
                    f"is {entry.path}, of {key} {value}, and recipe `{entry.recipe}` of "
                    f"{getattr(recipe, key)}",
                    "give an encoder of that recipe, or another recipe",
                )
    return trained


def check_origins(
    trained: Mapping[Encoder, Trained], models: Models, hashes: ContentHashes
) -> None:
    """Raise `UserError` for an encoder that was trained from other weights than its rows' model.

    Weights of the hub are not here yet when the plan is made, and are not looked at.
    """
    for encoder, (path, record) in trained.items():
        if models.hub_model(encoder.model) is not None:
            continue
        weights = Path(models.location(encoder.model)) / WEIGHTS
        # weights that are not there have an error of their own
        if hashes.of(weights) not in (None, record["model"]["weights_sha256"]):
            raise ConfigError(
                "config",
                "trained_encoders",
                f"has {path}, trained from other weights than those of model `{encoder.model}` "
                f"({weights})",
                "name the model that it was trained from, or remove the entry",
            )

"""Encoders that were trained before a run and stand for some of its rows (`trained_encoders`)."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

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
    """The folder of an encoder that was trained before, and what its record says of it.

    `start` is the model that it was trained from, `start_sha256` the hash of that model's weights.
    """

    path: str
    method: str
    pooling: str
    start: str
    start_sha256: str
    steps: int
    seed: int

    @property
    def text(self) -> str:
        """What pages say of it: cmlm-en-mini, cmlm of bert-en-mini, 4,000 steps, seed 33."""
        made = f"{self.method} of {self.start}, {self.steps:,} steps, seed {self.seed}"
        return f"{Path(self.path).name}, {made}"


def _read(path: str) -> Trained:
    """Return what the record of an encoder's folder says; `UserError` for another record."""
    file = Path(path) / "encoder.json"
    record = read_json(file)
    try:
        return Trained(
            path=path,
            method=record["recipe"]["method"],
            pooling=record["recipe"]["pooling"],
            start=record["model"]["name"],
            start_sha256=record["model"]["weights_sha256"],
            steps=int(record["tuning"]["steps"]),
            seed=int(record["seed"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(file, "is no record of a tuned encoder", "tune it again") from error


def read_trained_encoders(
    entries: list[TrainedEncoder],
    models: Mapping[str, Model],
    recipes: Mapping[str, Recipe],
    corpora: Collection[str],
) -> dict[Encoder, Trained]:
    """Return the folders of `trained_encoders` by the encoder that each stands for.

    The seed is that of the folder's record. Raises `UserError` for an unknown model, recipe or
    corpus, for a folder that holds no encoder of this project, and for one of another method or
    pooling than the recipe's: its rows would show something else than their labels say.
    """
    trained: dict[Encoder, Trained] = {}
    sections: list[tuple[str, str, Collection[str]]] = [
        ("model", "models", models),
        ("recipe", "recipes", recipes),
        ("corpus", "corpora", corpora),
    ]
    for number, entry in enumerate(entries):
        where = f"trained_encoders.{number}"
        for key, section, known in sections:
            if (name := getattr(entry, key)) not in known:
                problem = f"is `{name}`, which is not in `{section}`"
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
        made_before, recipe = _read(entry.path), recipes[entry.recipe]
        for key in ("method", "pooling"):
            made, expected = getattr(made_before, key), getattr(recipe, key)
            if made != expected:
                raise ConfigError(
                    "config",
                    f"{where}.path",
                    f"is {entry.path}, of {key} {made}, and recipe `{entry.recipe}` of {expected}",
                    "give an encoder of that recipe, or another recipe",
                )
        model = models[entry.model].same_as or entry.model
        trained[Encoder(model, entry.recipe, entry.corpus, made_before.seed)] = made_before
    return trained


def check_origins(
    trained: Mapping[Encoder, Trained], models: Models, hashes: ContentHashes
) -> None:
    """Raise `UserError` for an encoder that was trained from other weights than its rows' model.

    Weights of the hub are not here yet when the plan is made, and are not looked at.
    """
    for encoder, made_before in trained.items():
        if encoder.model in models.hub:
            continue
        weights = Path(models.location(encoder.model)) / WEIGHTS
        # weights that are not there have an error of their own
        if hashes.of(weights) not in (None, made_before.start_sha256):
            raise ConfigError(
                "config",
                "trained_encoders",
                f"has {made_before.path}, trained from other weights than those of model "
                f"`{encoder.model}` ({weights})",
                "name the model that it was trained from, or remove the entry",
            )

"""Folders of models with damaged files: those of transformers, sentence-transformers and ours."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch
import transformers

from tools.fuzz_limits import Case
from tools.synthetic_models import LAYOUTS, synthetic_model
from workflow_scripts.downloads.convert_weights import convert
from workflow_scripts.downloads.model_files import CARD, check_replaceable
from workflow_scripts.embedding.encoder_folder import OWN_WEIGHTS, load_model, save_encoder
from workflow_scripts.embedding.own_classifier import LAYER, read_own_classifier
from workflow_scripts.embedding.projections import Projections
from workflow_scripts.embedding.recorded_settings import join_settings, recorded_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import encode_strings
from workflow_scripts.scoring.card_scores import add_scores
from workflow_scripts.tuning.step_log import keep_steps

STRINGS = ["a cat sleeps", "the second string \u16a0"]
ENCODER = "encoder"
# the folder of a hub model: / in its id is written --
MODEL = "google-bert--bert-base-uncased"
# files of models that nothing here reads
_NOT_READ = ("README.md", ".gitattributes", "flax_model.msgpack")


def make_models(made: Path) -> dict[str, Path]:
    """Write a synthetic model for each layout of the hub, and an encoder; return their folders."""
    torch.set_num_threads(1)
    transformers.logging.disable_progress_bar()
    folders = {}
    # of each layout the first
    for hub in {layout: hub for hub, layout in reversed(LAYOUTS.items())}.values():
        folder = made / hub.replace("/", "--")
        for name, body in synthetic_model(hub, "0" * 40).files.items():
            if name not in _NOT_READ and (body != b"\x80"):
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(body)
        folders[folder.name] = folder
    folders[ENCODER] = _make_encoder(made / ENCODER, str(folders[MODEL]))
    return folders


def _make_encoder(folder: Path, model: str) -> Path:
    loaded = load_model(model)
    size = loaded.model.config.hidden_size
    projections = Projections(size, 2, 1.0, 2, seed=0).state_dict()
    own = {f"own.projections.{name}": one for name, one in projections.items()}
    own |= {f"own.{LAYER}.weight": torch.ones(2, size), f"own.{LAYER}.bias": torch.zeros(2)}
    record = {"pooling": "projected", "max_length": 16, "corpus": {"classes": ["a", "b"]}}
    # its own weights make it one that can be pooled so
    save_encoder(folder, loaded, EncoderSettings("mean", 16), record, {CARD: "# a card\n"}, own)
    return folder


def files_of(folder: Path, below: str = "") -> dict[str, Path]:
    """Return the files of a folder by their names below `below`."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(Path(below) / path.relative_to(folder)): path for path in found}


def model_cases(folders: dict[str, Path], made: Path) -> dict[str, Case]:
    """Return cases for the readers of models and of the files next to them, by name."""
    cases = {}
    for name, folder in folders.items():
        files = files_of(folder, "model")
        # the weights' numbers are most of their bytes: other files as often as them
        if any("pytorch_model" in file for file in files):
            cases[f"pickled model {name}"] = Case(_run(convert), files, own=["model"])
        else:
            cases[f"model {name}"] = Case(_run(_encode), files)
    encoder = files_of(folders[ENCODER], "model")
    cases["classifier"] = Case(_run(read_own_classifier), encoder, damaged=_small(encoder))
    cases["replaceable"] = Case(_run(partial(check_replaceable, "--output")), encoder)
    cases["card"] = Case(_run(_add_to_card), encoder, damaged=["model/README.md"])
    log = made / "log.jsonl"
    rows: list[dict[str, Any]] = [{"step": step, "loss": 0.5 / step} for step in range(1, 40)]
    log.write_text("".join(json.dumps(row) + "\n" for row in rows))
    cases["step log"] = Case(
        lambda words: keep_steps(Path(log.name), 20), {log.name: log}, own=[log.name]
    )
    return cases


def _small(files: dict[str, Path]) -> list[str]:
    return [name for name in files if name.endswith(("encoder.json", OWN_WEIGHTS))]


def _run(read: Callable[[Path], object]) -> Callable[[list[str]], object]:
    return lambda words: read(Path("model"))


def _encode(folder: Path) -> object:
    given = {} if _records(folder) else {"pooling": "cls"}
    settings = join_settings(str(folder), recorded_settings(str(folder)), given)
    return encode_strings(load_model(str(folder)), STRINGS, settings)


def _records(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("encoder.json", "modules.json"))


def _add_to_card(folder: Path) -> object:
    from workflow_scripts.files import read_text

    card = read_text(folder / "README.md")
    row = {"dataset": "a", "metric": "rho", "value": 0.5, "low": None, "high": None, "n": 3}
    return add_scores(card, [row | {"coverage": 1.0, "dropped": {}}])

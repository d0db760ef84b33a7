"""An encoder in memory: a model together with the settings by which it maps strings to vectors."""

import hashlib
import importlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file

from workflow_scripts.downloads.model_files import CARD, LEARNING_CURVE, check_replaceable
from workflow_scripts.embedding.encoder_folder import LoadedModel, load_model, save_encoder
from workflow_scripts.embedding.hub_upload import CardOptions, check_repository, push_folder
from workflow_scripts.embedding.progress import embedding_progress
from workflow_scripts.embedding.recorded_settings import join_settings, recorded_settings
from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.embedding.string_encoding import torch_encoder
from workflow_scripts.embedding.torch_setup import set_up_torch
from workflow_scripts.embedding.vector_modules import VectorModules, hash_of_modules
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, read_text, sha256_of_lines


@dataclass(frozen=True)
class Encoder:
    """A model with the settings by which it maps strings to vectors.

    `record`, `card` and `learning_curve` are the files of its folder (encoder.json, README.md,
    learning_curve.svg); `own_weights` are those that a method trained in addition to the model.
    Make one with `tune`, `train_cmlm` or `load`.
    """

    loaded: LoadedModel
    settings: EncoderSettings
    record: Mapping[str, Any] = field(default_factory=dict, repr=False)
    card: str = field(default="", repr=False)
    own_weights: Mapping[str, torch.Tensor] | None = field(default=None, repr=False)
    learning_curve: str = field(default="", repr=False)

    @property
    def dimension(self) -> int:
        """The number of dimensions of a vector, D."""
        return self.settings.dimensions or self.loaded.size_of(self.settings)

    @property
    def name(self) -> str:
        """The last name of its folder, or its hub id."""
        return self.loaded.name

    def encode(
        self,
        strings: Sequence[str],
        *,
        role: str = "default",
        progress: bool = False,
        precision: str = "float32",
        token_budget: int | None = None,
    ) -> np.ndarray:
        """Return float32 vectors [N, D] of N strings; row i belongs to `strings[i]`.

        Equal strings are embedded once; an empty list gives [0, D]. `role` chooses the prompt:
        "default", "query" (strings to search for) or "passage" (strings to search in). `progress`
        shows progress on stderr. `precision` is that of the matrix products ("auto": float16 on
        CUDA, float32 on a CPU), `token_budget` the number of padded tokens in one batch. The same
        machine and strings give the same bytes, for any number of threads. Raises `UserError`
        unless `strings` is a list of strings.
        """
        strings = list_of_strings(strings)
        encoder = torch_encoder(self.loaded, self.settings, token_budget, precision)
        shown = embedding_progress(len(strings)) if progress else nullcontext(lambda _: None)
        with shown as advance:
            return encoder.encode(strings, advance, role=role)

    def reduce(
        self, dimensions: int, strings: Sequence[str], *, progress: bool = False
    ) -> "Encoder":
        """Return the encoder with vectors of fewer units, by a PCA fitted on strings.

        It is the same model with one more module, a linear layer that `save` keeps. Of many strings
        20,000 are taken; they should be like those to embed. Raises `UserError` for no fewer
        `dimensions` than the encoder has, for too few strings, and for an encoder whose vectors no
        module can follow: of a layer but the last, of pooling `projected`, cut to leading units.
        """
        # FAISS takes a while, and only this needs it
        from workflow_scripts.embedding.reduction import fit_layer, sample_strings

        settings, loaded = self.settings, self.loaded
        if settings.dimensions is not None:
            problem, remedy = "the vectors are already cut to fewer", "load all of them"
            raise UserError(f"dimensions {settings.dimensions}", problem, remedy)
        if settings.layer is not None or settings.pooling == "projected":
            of = f"layer {settings.layer}" if settings.layer else "pooling projected"
            raise UserError(
                of, "no module can follow this pooling", "use the last layer and pooling mean"
            )
        sample = sample_strings(list_of_strings(strings))
        layer = fit_layer(self.encode(sample, progress=progress), dimensions)
        before = loaded.modules_of(settings)
        modules = (*(() if before is None else before.modules), layer)
        behind = VectorModules(settings.pooling, modules, hash_of_modules(modules))
        whole = hashlib.sha256(f"{loaded.model_sha256} {behind.sha256}".encode()).hexdigest()
        fitted = {"strings": len(sample), "strings_sha256": sha256_of_lines(sample)}
        record = {**self.record, "dimension": dimensions, "pca": fitted}
        card = (
            self.card and f"{self.card}\n{_reduced_card(self.dimension, dimensions, len(sample))}"
        )
        return replace(
            self,
            loaded=replace(loaded, modules=behind, model_sha256=whole),
            record=record,
            card=card,
        )

    def save(self, folder: str | Path, overwrite: bool = False) -> Path:
        """Write a folder for transformers and sentence-transformers; return its path.

        The folder is written completely or not at all. Raises `UserError` for a folder that is not
        empty, unless it holds an encoder and `overwrite` is set, and for settings that
        sentence-transformers does not support (a layer other than the last).
        """
        folder = Path(folder)
        if folder.exists() and not folder.is_dir():
            raise UserError(folder, "is a file", "give a folder")
        if folder.is_dir() and any(folder.iterdir()):
            if not overwrite:
                raise UserError(folder, "not empty", "choose another or set overwrite=True")
            check_replaceable("folder", folder)
        folder.parent.mkdir(parents=True, exist_ok=True)
        # without the last name of a link, which would be replaced by a folder
        self.write(folder.resolve())
        return folder

    def push_to_hub(
        self,
        repository: str,
        *,
        private: bool = False,
        language: str | Sequence[str] = (),
        license: str | None = None,
        datasets: Sequence[str] = (),
        base_model: str | None = None,
    ) -> str:
        """Upload the encoder to the Hugging Face hub as the folder that `save` writes.

        Returns the address of `repository` ("owner/name"), which is created if it does not exist,
        as a private one with `private`. `language`, `license`, `datasets` (hub ids of its training
        data) and `base_model` (a hub id) are added to its card. The token comes from `hf auth
        login` or HF_TOKEN. Raises `UserError` without a token, and if the hub cannot be reached or
        refuses.
        """
        languages = (language,) if isinstance(language, str) else tuple(language)
        options = CardOptions(languages, license, tuple(datasets), base_model)
        # before anything is written
        check_repository(repository)
        with tempfile.TemporaryDirectory(prefix="mirror-bert-") as parent:
            folder = self.save(Path(parent) / "encoder")
            metadata = options.as_metadata()
            return push_folder(folder, repository, private=private, metadata=metadata)

    def write(self, folder: Path) -> None:
        """Write the folder as `save` does, whatever is there."""
        record, texts = dict(self.record), {CARD: self.card}
        if self.learning_curve:
            texts[LEARNING_CURVE] = self.learning_curve
        save_encoder(folder, self.loaded, self.settings, record, texts, self.own_weights)

    def to_sentence_transformers(self) -> Any:
        """Return a `sentence_transformers.SentenceTransformer`, which gives the same vectors.

        Raises `UserError` if sentence-transformers is not installed.
        """
        try:
            # by name: no step of the workflow needs it
            library = importlib.import_module("sentence_transformers")
        except ModuleNotFoundError as error:
            remedy = "pip install sentence-transformers"
            raise UserError("sentence_transformers", "not installed", remedy) from error

        device = next(self.loaded.model.parameters()).device
        folder = Path(tempfile.mkdtemp(prefix="mirror-bert-"))
        try:
            path = self.save(folder / "encoder")
            return library.SentenceTransformer(str(path), device=str(device))
        finally:
            shutil.rmtree(folder)


def _reduced_card(before: int, dimensions: int, strings: int) -> str:
    """Return what the card of an encoder says of its PCA."""
    return (
        f"Of its {before} dimensions a PCA fitted on {strings} strings keeps {dimensions}: the "
        "last module of the folder.\n"
    )


def list_of_strings(strings: Sequence[str]) -> list[str]:
    """Return strings as a list; `UserError` for a single one and for anything but strings."""
    if isinstance(strings, str):
        raise UserError("strings", "a single string", "give a list of strings")
    listed = list(strings)
    for number, string in enumerate(listed):
        if not isinstance(string, str):
            problem = f"a {type(string).__name__}, not a string"
            raise UserError(f"strings[{number}]", problem, "give a list of strings")
    return listed


def load_encoder(
    source: str | Path,
    *,
    pooling: str | None = None,
    max_length: int | None = None,
    layer: int | None = None,
    prompts: Mapping[str, str] | None = None,
    dimensions: int | None = None,
    device: str = "auto",
    threads: int | None = None,
) -> Encoder:
    """Load an encoder from a folder or from the Hugging Face hub (`id@revision`).

    Settings that are not given are read from its folder, which this package or
    sentence-transformers wrote; Dense and Normalize modules are run, too. Any other model needs a
    `pooling`. `dimensions` is the number of leading dimensions to keep. `device` is "cpu", "cuda"
    or "auto" (CUDA where there is a device); `threads` sets the threads of torch (None: unchanged).
    Raises `UserError` for a model that cannot be loaded and for settings that it does not support.
    """
    given = {"pooling": pooling, "max_length": max_length, "layer": layer, "prompts": prompts}
    given["dimensions"] = dimensions
    given = {name: value for name, value in given.items() if value is not None}
    source = str(source)
    settings = join_settings(source, recorded_settings(source, given), given, called={})
    return load_with_settings(source, settings, device, threads or torch.get_num_threads(), {})


def load_with_settings(
    source: str,
    settings: EncoderSettings,
    device: str,
    threads: int,
    called: Mapping[str, str],
) -> Encoder:
    """Return the encoder of a model with these settings; `called` is what messages call them."""
    loaded = load_model(source, set_up_torch(threads, device))
    loaded.check_settings(settings, called)
    loaded.warn_of_settings(settings)
    folder, own_weights = loaded.folder, None
    card = learning_curve = ""
    record = {"model": {"name": loaded.name, "weights_sha256": loaded.weights_sha256}}
    if folder is not None and (folder / "encoder.json").is_file():
        record = read_json(folder / "encoder.json")
        files = (folder / CARD, folder / LEARNING_CURVE)
        card, learning_curve = (read_text(file) if file.is_file() else "" for file in files)
    if (path := loaded.own_weights()) is not None:
        own_weights = load_file(path)
    return Encoder(loaded, settings, record, card, own_weights, learning_curve)

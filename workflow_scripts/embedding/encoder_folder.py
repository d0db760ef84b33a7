"""Loading pretrained models, and folders that transformers and sentence-transformers load."""

import hashlib
import inspect
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import save_file
from transformers import AutoModel, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from workflow_scripts.downloads.model_files import (
    WEIGHT_FILES,
    check_model_files,
    local_path,
    resolve_model_folder,
    vector_files,
)
from workflow_scripts.embedding.model_config import (
    ENCODERS,
    check_architecture,
    check_sizes,
    check_tokenizer,
    read_config,
    try_out,
)
from workflow_scripts.embedding.recorded_settings import recorded_model
from workflow_scripts.embedding.sentence_transformers_files import write_sentence_transformers_files
from workflow_scripts.embedding.settings import RECIPE_KEYS, EncoderSettings
from workflow_scripts.embedding.token_types import set_token_types
from workflow_scripts.embedding.vector_modules import VectorModules, load_vector_modules
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory, sha256_of, write_json, write_text

# Weights that a method trained alongside the model, in an encoder folder.
OWN_WEIGHTS = "training_modules.safetensors"


@dataclass
class LoadedModel:
    """A model in float32 with its tokenizer; the rest says which one it is.

    `modules` are what its vectors go through after pooling, None where its folder has none, and
    `not_run` says what else the folder has that this project does not run.
    """

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    weights_sha256: str
    model_sha256: str
    folder: Path | None = None
    modules: VectorModules | None = None
    not_run: str = ""

    def modules_of(self, settings: EncoderSettings) -> VectorModules | None:
        """Return the modules that vectors of these settings go through; None for none.

        They are made for the last layer and one pooling.
        """
        own = self.modules
        fits = own is not None and settings.layer is None and settings.pooling == own.pooling
        return own if fits else None

    def without_modules(self) -> "LoadedModel":
        """Return the model alone, whose vectors are those that its layers give."""
        return replace(self, modules=None, not_run="")

    def size_of(self, settings: EncoderSettings) -> int:
        """Return the units of a vector of these settings before `dimensions` cuts it."""
        modules, size = self.modules_of(settings), int(self.model.config.hidden_size)
        return size if modules is None else modules.dimension(size)

    @property
    def marks(self) -> tuple[int | None, int | None]:
        """The ids of [CLS] and [SEP], or what they are called; None where strings get none."""
        tokenizer, ids = self.tokenizer, self.tokenizer("a")["input_ids"] or [None]
        starts = (tokenizer.cls_token_id, tokenizer.bos_token_id)
        ends = (tokenizer.sep_token_id, tokenizer.eos_token_id)
        return ids[0] if ids[0] in starts else None, ids[-1] if ids[-1] in ends else None

    def record(self, settings: EncoderSettings) -> dict[str, Any]:
        """Return which model it is, under these settings, and what runs it, as JSON values."""
        own = {"model": self.name, "weights_sha256": self.weights_sha256, **settings.as_record()}
        versions = {"torch": torch.__version__, "transformers": transformers.__version__}
        return {**own, "versions": versions}

    def provenance(self, settings: EncoderSettings) -> dict[str, Any]:
        """Return what makes its vectors under these settings, as JSON values."""
        return self.record(settings) | {"model_sha256": self.model_sha256}

    def check_settings(
        self, settings: EncoderSettings, called: Mapping[str, str] = RECIPE_KEYS
    ) -> None:
        """Raise `UserError` where the model cannot be used so; `called` names the settings."""
        settings.check(called)
        pooling, layer = settings.pooling, settings.layer
        name, value, problem, remedy = "pooling", repr(pooling), "", ""
        limit, layers = position_limit(self.model), self.model.config.num_hidden_layers
        if pooling == "pooler" and getattr(self.model, "pooler", None) is None:
            problem, remedy = f"the weights of {self.name} hold no pooler layer", "use cls"
        elif pooling in ("cls", "pooler") and self._cls_is_last():
            problem = f"the tokenizer of {self.name} puts [CLS] after the string, not first"
            remedy = "use mean"
        elif pooling == "mean_pieces" and None in self.marks:
            problem = f"the tokenizer of {self.name} does not put special tokens first and last"
            remedy = "use mean"
        elif pooling == "projected" and self.own_weights() is None:
            problem, remedy = f"{self.name} was not trained by method cmlm", "use mean"
        elif limit is not None and settings.max_length > limit:
            name, value = "max_length", str(settings.max_length)
            problem, remedy = f"more than the {limit} positions of {self.name}", "lower it"
        elif settings.dimensions is not None and settings.dimensions > self.size_of(settings):
            name, value = "dimensions", str(settings.dimensions)
            problem = f"more than the {self.size_of(settings)} of {self.name}"
            remedy = "lower it, or leave it out"
        elif layer is not None and layer > layers:
            name, value, problem = "layer", str(layer), f"{self.name} has {layers} layers"
            remedy = f"give one up to {layers}"
        else:
            self._check_prompts(settings, called)
        if problem:
            raise UserError(f"{called.get(name, name)} {value}", problem, remedy)

    def _check_prompts(self, settings: EncoderSettings, called: Mapping[str, str]) -> None:
        """Raise `UserError` for a prompt that leaves no token of `max_length` to the string."""
        for role in settings.prompts:
            (text,) = settings.texts([""], role)
            tokens = len(self.tokenizer(text)["input_ids"])
            if tokens >= settings.max_length:
                raise UserError(
                    f"{called.get('prompts', 'prompts')} {role}",
                    f"{tokens} tokens, where strings are cut to {settings.max_length}",
                    f"shorten it, or raise {called.get('max_length', 'max_length')}",
                )

    def _cls_is_last(self) -> bool:
        cls, ids = self.tokenizer.cls_token_id, self.tokenizer("a")["input_ids"] or [None]
        # XLM has one token for [CLS] and [SEP]
        return ids[-1] == cls and cls not in (ids[0], self.tokenizer.sep_token_id)

    def own_weights(self) -> Path | None:
        """Return the file of weights that a method trained alongside the model, or None."""
        path = self.folder and self.folder / OWN_WEIGHTS
        return path if path and path.is_file() else None

    def warn_of_settings(self, settings: EncoderSettings) -> None:
        """Warn on stderr of what vectors with these settings lack, unlike the folder's own."""
        self.warn_of_missing_mark(settings.pooling)
        left_out = self.not_run
        if self.modules is not None and self.modules_of(settings) is None:
            names = " and ".join(self.modules.folders().values())
            left_out = f"pooling {self.modules.pooling}, then {names}"
        if left_out:
            print(
                f"warning: vectors come from {self.name} alone, pooled by {settings.pooling}, "
                f"not from the encoder that its folder describes: {left_out}",
                file=sys.stderr,
            )

    def warn_of_missing_mark(self, pooling: str) -> None:
        """Say on stderr if `pooling` takes the first position and the tokenizer marks none."""
        if pooling in ("cls", "pooler") and self.marks[0] is None:
            print(
                f"warning: the tokenizer of {self.name} puts no [CLS] first: pooling {pooling} "
                "takes the first piece of the string itself",
                file=sys.stderr,
            )


def position_limit(model: PreTrainedModel) -> int | None:
    """Return how many tokens the position embeddings can take, None where they do not say.

    RoBERTa and MPNet count positions from the padding id on and lose that many. Of relative or
    rotary positions (DeBERTa, ModernBERT) it is the length that the model was made for.
    """
    positions = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if isinstance(positions, torch.nn.Embedding):
        offset = 0 if positions.padding_idx is None else positions.padding_idx + 1
        return positions.num_embeddings - offset
    limit = getattr(model.config, "max_position_embeddings", None)
    # XLNet's is -1: there is none
    return limit if isinstance(limit, int) and limit > 0 else None


def weights_sha256(folder: Path) -> str:
    """Return the SHA-256 of model.safetensors, or of the names and hashes of all its shards."""
    *shards, last = _weight_files(folder)
    return _hash_of_files(folder, [*shards, last]) if shards else sha256_of(folder / last)


def model_sha256(folder: Path, weights: str, modules: VectorModules | None = None) -> str:
    """Return one hash of all that makes a model's vectors: weights, config.json and tokenizer.

    `weights` is the folder's `weights_sha256`, `modules` those behind the pooling.
    """
    hashed = _weight_files(folder)
    others = [name for name in vector_files(folder) if name not in hashed]
    whole = f"{weights} {_hash_of_files(folder, others)}"
    if modules is not None:
        whole += f" {modules.sha256}"
    return hashlib.sha256(whole.encode()).hexdigest()


def _weight_files(folder: Path) -> list[str]:
    single, index = (folder / name for name in WEIGHT_FILES)
    if single.is_file():
        return [single.name]
    return sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))


def _hash_of_files(folder: Path, names: list[str]) -> str:
    listing = "".join(f"{name} {sha256_of(folder / name)}\n" for name in names)
    return hashlib.sha256(listing.encode()).hexdigest()


@contextmanager
def _loading(source: str, what: str) -> Iterator[None]:
    try:
        yield
    except (UserError, KeyboardInterrupt, SystemExit):
        raise
    # malformed files surface as nearly any kind, and as panics of Rust, which are no `Exception`
    except BaseException as error:
        lines = str(error).strip().splitlines()
        reason = f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
        remedy = "fetch it again"
        if isinstance(error, SafetensorError):
            problem = f"model.safetensors is damaged ({reason})"
        else:
            problem = f"the {what} ({reason})"
        if isinstance(error, ImportError):
            # such as sacremoses, for the tokenizer of XLM
            remedy = "install the package that it names"
        raise UserError(source, problem, remedy) from error


def load_model(source: str, device: str | torch.device = "cpu") -> LoadedModel:
    """Load a model (folder or hub id `name@revision`) without its head, in float32.

    Only safetensors are read and no code of the model's is run. Weights without a pooler layer give
    a model without one (transformers would draw a random one).
    """
    # Bars and reports on weights that are not wanted would bury our own lines in the logs.
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    folder = resolve_model_folder(source)
    check_model_files(folder, source)
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    with _loading(source, "model cannot be loaded"):
        config = read_config(folder)
        check_architecture(config, source)
        check_sizes(config, folder, source)
    with _loading(source, "tokenizer cannot be loaded"):
        tokenizer = AutoTokenizer.from_pretrained(folder, **options)
        check_tokenizer(tokenizer, config, source)
    tokenizer.padding_side = "right"
    options |= {"dtype": torch.float32, "use_safetensors": True, "output_loading_info": True}
    with _loading(source, "model cannot be loaded"):
        model, report = AutoModel.from_pretrained(folder, config=config, **options)
    if "attention_mask" not in inspect.signature(model.forward).parameters:
        raise UserError(
            source,
            f"{config.model_type} takes no attention mask, so padding would change its vectors",
            f"{ENCODERS} are supported",
        )
    missing = {key for key in report["missing_keys"] if not key.startswith("pooler.")}
    if len(missing) < len(set(report["missing_keys"])):
        model.pooler = None
    if wrong := sorted(missing) or sorted(map(str, report["mismatched_keys"])):
        raise UserError(
            source,
            f"the weights do not fit config.json ({len(wrong)} tensors missing or of another "
            f"shape, first {wrong[0]})",
            "use both from the same model",
        )
    with _loading(source, "model cannot be run"):
        try_out(model.eval(), tokenizer)
    set_token_types(model, tokenizer)
    recorded, modules = recorded_model(str(folder)), None
    if recorded.after_pooling:
        pooling = recorded.settings.get("pooling", "")
        modules = load_vector_modules(folder, recorded.after_pooling, pooling, source)
        modules.check_size(config.hidden_size, source)
    try:
        model = model.to(device)
    except torch.OutOfMemoryError as error:
        raise UserError(
            source,
            f"the weights alone do not fit into the free memory of {device}",
            "end other programs there, or use a smaller model",
        ) from error
    # A folder goes by its last name: records hold no paths of the machine.
    name = folder.resolve().name if local_path(source).is_dir() else source
    weights = weights_sha256(folder)
    whole = model_sha256(folder, weights, modules)
    return LoadedModel(
        *(model, tokenizer, name, weights, whole, folder), modules, not_run=recorded.problem
    )


def onnx_file(folder: Path, int8: bool) -> Path:
    """Return the path of an encoder folder's ONNX file, where sentence-transformers looks."""
    return folder / "onnx" / ("model_quantized.onnx" if int8 else "model.onnx")


def find_onnx_file(folder: Path, int8: bool) -> Path:
    """Return the path of the ONNX file; `UserError` with the command that makes it if missing."""
    path = onnx_file(folder, int8)
    if not path.is_file():
        command = f"mirror-bert export --encoder {folder}"
        raise UserError(path, "no such file", f"make it with: {command}{' --int8' if int8 else ''}")
    return path


def save_encoder(
    folder: str | Path,
    loaded: LoadedModel,
    settings: EncoderSettings,
    record: dict[str, Any],
    texts: Mapping[str, str],
    own_weights: Mapping[str, torch.Tensor] | None = None,
) -> None:
    """Write an encoder folder, whole or not at all; every loader uses strings as `settings` say.

    `record` (encoder.json, with the settings) and `texts` (the card and its picture, by file name)
    may hold no times or absolute paths, since the folder must be the same byte for byte again.
    """
    loaded.check_settings(settings)
    tokenizer = loaded.tokenizer
    tokenizer.model_max_length = settings.max_length
    # A tokenizer remembers how it was last called and from where it came, and would save both.
    if getattr(tokenizer, "backend_tokenizer", None) is not None:
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    for key in ("is_local", "local_files_only"):
        tokenizer.init_kwargs.pop(key, None)
    with atomic_directory(folder) as temporary:
        loaded.model.save_pretrained(temporary)
        tokenizer.save_pretrained(temporary)
        config = loaded.model.config
        shape = (config.hidden_size, config.vocab_size)
        modules = loaded.modules_of(settings)
        after_pooling = {} if modules is None else modules.folders()
        write_sentence_transformers_files(temporary, settings, *shape, loaded.marks, after_pooling)
        # With the weights' hash the record stands for the folder: other weights, other record.
        record = {**record, **settings.as_record(), "weights_sha256": weights_sha256(temporary)}
        for key in ("modules_sha256", *(["pca"] if modules is None else [])):
            record.pop(key, None)
        if modules is not None:
            modules.save(temporary)
            record["modules_sha256"] = modules.sha256
        if own_weights:
            kept = {name: weight.cpu().contiguous() for name, weight in own_weights.items()}
            save_file(kept, temporary / OWN_WEIGHTS, metadata={"format": "pt"})
            record["training_modules_sha256"] = sha256_of(temporary / OWN_WEIGHTS)
        write_json(temporary / "encoder.json", record)
        for name, text in texts.items():
            write_text(temporary / name, text)
        # safetensors makes files that only their owner may read.
        readable = (temporary / "config.json").stat().st_mode
        for weights in temporary.rglob("*.safetensors"):
            weights.chmod(readable)

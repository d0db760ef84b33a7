"""Loading pretrained models, and encoder folders that transformers and sentence-transformers load.

An encoder folder holds what `AutoModel` and `AutoTokenizer` need (config.json, model.safetensors,
tokenizer files) beside the files of sentence-transformers 6 (modules.json,
sentence_bert_config.json, 1_Pooling/config.json, ...), a card (README.md) and a record
(encoder.json). Loading it needs neither this project nor `trust_remote_code`.
"""

import hashlib
import inspect
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import SafetensorError
from safetensors.torch import save_file
from transformers import (
    MODEL_FOR_CAUSAL_LM_MAPPING,
    MODEL_FOR_MASKED_LM_MAPPING,
    AutoConfig,
    AutoModel,
    AutoTokenizer,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerBase,
)

from workflow_scripts.embedding.model_files import HUB_PATTERNS, WEIGHT_FILES, check_model_files
from workflow_scripts.embedding.pooling_names import POOLINGS, SHORTEST_MAX_LENGTH
from workflow_scripts.errors import UserError
from workflow_scripts.files import atomic_directory, sha256_of, write_json, write_text

RECORD_FILE = "encoder.json"
# Those that the tests tune, save and load; others that `check_architecture` lets pass may do too.
ENCODERS = (
    "BERT, RoBERTa, XLM-R, CamemBERT, DistilBERT, ELECTRA, MPNet, ALBERT, DeBERTa and ModernBERT"
)


@dataclass
class LoadedModel:
    """A model in float32 with its tokenizer; `name` and `weights_sha256` say which one it is."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    name: str
    weights_sha256: str

    def check_pooling(self, pooling: str, max_length: int) -> None:
        """Raise `UserError` where the model cannot be pooled so or cannot take `max_length`."""
        if pooling not in POOLINGS:
            raise UserError(f"pooling {pooling!r} is unknown; use one of {', '.join(POOLINGS)}")
        if pooling == "pooler" and getattr(self.model, "pooler", None) is None:
            raise UserError(
                f"pooling 'pooler': the weights of {self.name} hold no pooler layer; use cls"
            )
        limit = position_limit(self.model)
        if max_length < SHORTEST_MAX_LENGTH:
            raise UserError(
                f"maximum length {max_length} is less than {SHORTEST_MAX_LENGTH} tokens"
            )
        if limit is not None and max_length > limit:
            raise UserError(
                f"maximum length {max_length} is more than the {limit} positions of {self.name}; "
                "lower max_length and embed_max_length in the recipe"
            )

    def warn_of_missing_mark(self, pooling: str) -> None:
        """Say on stderr if `pooling` takes the first position and the tokenizer marks none."""
        ids = self.tokenizer("a")["input_ids"]
        marked = ids and ids[0] in (self.tokenizer.cls_token_id, self.tokenizer.bos_token_id)
        if pooling in ("cls", "pooler") and not marked:
            print(
                f"warning: the tokenizer of {self.name} puts no [CLS] first: pooling {pooling} "
                "takes the first piece of the string itself",
                file=sys.stderr,
            )


def position_limit(model: PreTrainedModel) -> int | None:
    """Return how many tokens the position embeddings can take, None where they do not say.

    RoBERTa and MPNet count positions from the padding id on and lose that many. Where positions are
    relative or rotary (DeBERTa, ModernBERT) it is the length that the model was made for.
    """
    positions = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
    if isinstance(positions, torch.nn.Embedding):
        offset = 0 if positions.padding_idx is None else positions.padding_idx + 1
        return positions.num_embeddings - offset
    return getattr(model.config, "max_position_embeddings", None)


def resolve_model_folder(source: str) -> Path:
    """Return the folder of a model: a local one as it is, that of a hub id from the hub's cache.

    A hub id (`name@revision` for a pinned one) is downloaded where the hub may be asked (not with
    HF_HUB_OFFLINE=1); a local folder never touches the network. Raises `UserError` if there is
    neither.
    """
    folder = Path(source).expanduser()
    if source and folder.is_dir():
        return folder
    name, _, revision = source.partition("@")
    if source and folder.exists():
        raise UserError(f"{source}: not a folder; give the folder that holds config.json")
    if not re.fullmatch(r"[\w-][\w.-]*(/[\w-][\w.-]*)?", name):
        raise UserError(f"{source or 'empty name'}: no such model folder; check the path")
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, revision=revision or None, allow_patterns=HUB_PATTERNS))
    except Exception as error:  # the hub client raises many kinds, from httpx's to its own
        raise UserError(
            f"{source}: no such folder, and as a hub id it could not be fetched "
            f"({type(error).__name__}); check the name, or download the model and give its folder"
        ) from error


def weights_sha256(folder: Path) -> str:
    """Return the SHA-256 of model.safetensors, or of the names and hashes of all its shards."""
    single, index = (folder / name for name in WEIGHT_FILES)
    if single.is_file():
        return sha256_of(single)
    shards = sorted(set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values()))
    listing = "".join(f"{shard} {sha256_of(folder / shard)}\n" for shard in shards)
    return hashlib.sha256(listing.encode()).hexdigest()


def check_architecture(config: PreTrainedConfig, source: str) -> None:
    """Raise `UserError` unless `config` is of an encoder with masked language modelling.

    A decoder sees only what stands left of a token, and an encoder-decoder returns the states of
    its decoder.
    """
    kind = config.model_type
    if getattr(config, "is_encoder_decoder", False):
        what = "an encoder-decoder"
    elif getattr(config, "is_decoder", False):
        what = "set up as a decoder (is_decoder in config.json)"
    elif type(config) not in MODEL_FOR_MASKED_LM_MAPPING:
        decoder = type(config) in MODEL_FOR_CAUSAL_LM_MAPPING
        what = "a decoder" if decoder else "no masked language model"
    else:
        return
    raise UserError(f"{source}: {kind} is {what}; give an encoder-only model: {ENCODERS} are taken")


def load_model(source: str, device: str | torch.device = "cpu") -> LoadedModel:
    """Load a model (without its language-modelling head) and its tokenizer, in float32.

    `source` is a folder or a hub id, `name@revision` for a pinned one. Only safetensors are read
    and no code of the model's is run. Weights without a pooler layer give a model without one
    (transformers would draw a random one). Raises `UserError` for anything missing or malformed,
    and where the device has no memory for the weights.
    """
    # Bars and reports on weights that are not wanted would bury our own lines in the logs.
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    folder = resolve_model_folder(source)
    check_model_files(folder, source)
    options: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(folder, **options)
    except Exception as error:  # malformed files surface as nearly any exception
        raise UserError(f"{source}: the model cannot be loaded ({_first_line(error)})") from error
    check_architecture(config, source)
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, **options)
    except Exception as error:
        raise UserError(
            f"{source}: the tokenizer cannot be loaded ({_first_line(error)})"
        ) from error
    if tokenizer.pad_token_id is None:
        raise UserError(f"{source}: the tokenizer has no padding token; add one and save it again")
    tokenizer.padding_side = "right"
    try:
        model, report = AutoModel.from_pretrained(
            folder,
            dtype=torch.float32,
            use_safetensors=True,
            output_loading_info=True,
            **options,
        )
    except SafetensorError as error:
        raise UserError(
            f"{source}: model.safetensors is damaged ({_first_line(error)}); fetch it again"
        ) from error
    except Exception as error:
        raise UserError(f"{source}: the model cannot be loaded ({_first_line(error)})") from error
    if "attention_mask" not in inspect.signature(model.forward).parameters:
        raise UserError(
            f"{source}: {config.model_type} takes no attention mask, so that padding would change "
            f"its vectors; {ENCODERS} are taken"
        )
    missing = set(report["missing_keys"])
    if any(key.startswith("pooler.") for key in missing):
        model.pooler = None
    missing = {key for key in missing if not key.startswith("pooler.")}
    if missing or report["mismatched_keys"]:
        wrong = sorted(missing) or sorted(map(str, report["mismatched_keys"]))
        raise UserError(
            f"{source}: the weights do not fit config.json ({len(wrong)} tensors missing or of "
            f"another shape, first {wrong[0]}); take both from the same model"
        )
    try:
        model = model.to(device)
    except torch.OutOfMemoryError as error:
        raise UserError(
            f"{source}: the weights alone do not fit into the memory that is free on {device}; end "
            "what else runs there, or take a smaller model"
        ) from error
    return LoadedModel(
        model.eval(),
        tokenizer,
        # A folder goes by its last name: records hold no paths of the machine.
        name=folder.resolve().name if Path(source).expanduser().is_dir() else source,
        weights_sha256=weights_sha256(folder),
    )


def save_encoder(
    folder: str | Path,
    loaded: LoadedModel,
    pooling: str,
    max_length: int,
    record: dict[str, Any],
    card: str,
) -> None:
    """Write an encoder folder, whole or not at all.

    `max_length` tokens is what strings are cut to by every loader. `record` becomes encoder.json
    and `card` README.md; neither may hold times or absolute paths, since the folder is to come out
    byte for byte the same again.
    """
    loaded.check_pooling(pooling, max_length)
    _settle_tokenizer(loaded.tokenizer, max_length)
    with atomic_directory(folder) as temporary:
        loaded.model.save_pretrained(temporary)
        loaded.tokenizer.save_pretrained(temporary)
        write_sentence_transformers_files(
            temporary, pooling, max_length, loaded.model.config.hidden_size
        )
        # With the weights' hash the record stands for the folder: other weights, other record.
        record = {**record, "weights_sha256": weights_sha256(temporary)}
        write_json(temporary / RECORD_FILE, record)
        write_text(temporary / "README.md", card)
        # safetensors makes files that only their owner may read.
        readable = (temporary / "config.json").stat().st_mode
        for weights in temporary.rglob("*.safetensors"):
            weights.chmod(readable)


def _settle_tokenizer(tokenizer: PreTrainedTokenizerBase, max_length: int) -> None:
    tokenizer.model_max_length = max_length
    # A tokenizer remembers how it was last called and from where it came, and would save both.
    if getattr(tokenizer, "backend_tokenizer", None) is not None:
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    for key in ("is_local", "local_files_only"):
        tokenizer.init_kwargs.pop(key, None)


def write_sentence_transformers_files(
    folder: Path, pooling: str, max_length: int, dimension: int
) -> None:
    """Write the files that make a model folder a sentence-transformers 6 folder.

    `mean_padded` has no name there: its Pooling averages over the attention mask, and falls back
    to all positions only where the mask's last dimension is not the number of positions
    (`Pooling.forward`). So a stock Dense module between the two, which maps every token embedding
    to the constant 1, overwrites the mask with one of shape [B, T, 1]. By then the transformer has
    done its attention with the true mask. Padding to `max_length` is asked of the tokenizer by
    `processing_kwargs`.
    """
    transformer: dict[str, Any] = {
        "transformer_task": "feature-extraction",
        "modality_config": {
            "text": {"method": "forward", "method_output_name": "last_hidden_state"}
        },
        "module_output_name": "token_embeddings",
        "max_seq_length": max_length,
    }
    modules = [("", "sentence_transformers.base.modules.transformer.Transformer")]
    if pooling == "pooler":
        transformer["modality_config"]["text"]["method_output_name"] = "pooler_output"
        transformer["module_output_name"] = "sentence_embedding"
    else:
        if pooling == "mean_padded":
            transformer["processing_kwargs"] = {"text": {"padding": "max_length"}}
            _write_constant_mask(folder / "1_AllPositions", dimension)
            modules.append(("1_AllPositions", "sentence_transformers.base.modules.dense.Dense"))
        pooling_config = {
            "embedding_dimension": dimension,
            "pooling_mode": "cls" if pooling == "cls" else "mean",
            "include_prompt": True,
        }
        _write_config(folder / "1_Pooling" / "config.json", pooling_config)
        modules.append(
            ("1_Pooling", "sentence_transformers.sentence_transformer.modules.pooling.Pooling")
        )
    _write_config(folder / "sentence_bert_config.json", transformer)
    _write_config(
        folder / "modules.json",
        [
            {"idx": index, "name": str(index), "path": path, "type": type_name}
            for index, (path, type_name) in enumerate(modules)
        ],
    )
    _write_config(
        folder / "config_sentence_transformers.json",
        {
            "default_prompt_name": None,
            "model_type": "SentenceTransformer",
            "prompts": {"document": "", "query": ""},
            "similarity_fn_name": "cosine",
        },
    )


def _write_constant_mask(folder: Path, dimension: int) -> None:
    config = {
        "in_features": dimension,
        "out_features": 1,
        "bias": True,
        "activation_function": "torch.nn.modules.linear.Identity",
        "module_input_name": "token_embeddings",
        "module_output_name": "attention_mask",
    }
    _write_config(folder / "config.json", config)
    save_file(
        {"linear.weight": torch.zeros(1, dimension), "linear.bias": torch.ones(1)},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )


def _write_config(path: Path, content: Any) -> None:
    write_text(path, json.dumps(content, indent=2) + "\n")


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__

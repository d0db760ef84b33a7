"""The files of sentence-transformers 6 in a model folder, and the settings that they record."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, write_text

_NO_LIMIT = 100_000
# What may stand behind the pooling; `vector_modules` runs them.
AFTER_POOLING = frozenset({"Dense", "Normalize"})
_VECTOR = "sentence_embedding"
_OLD_POOLINGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}
# what sentence-transformers calls the prompts of our roles
_PROMPT_NAMES = {"query": ("query",), "passage": ("document", "passage", "corpus")}


class Module(NamedTuple):
    """A module of modules.json: its folder, and its class, with the package of one not theirs."""

    path: str
    kind: str


@dataclass(frozen=True)
class RecordedModel:
    """What a folder records about itself.

    `settings` are those of its encoder, as they are recorded, `after_pooling` the modules that its
    pooled vectors go through. `problem` names a feature that this project lacks, "" for none.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    after_pooling: tuple[Module, ...] = ()
    problem: str = ""


def write_sentence_transformers_files(
    folder: Path,
    settings: EncoderSettings,
    dimension: int,
    vocabulary: int,
    marks: Collection[int | None],
    after_pooling: Mapping[str, str] = {},
) -> None:
    """Write modules.json and the config of each module into a model folder.

    `vocabulary` is the number of token ids, `marks` those of [CLS] and [SEP], `after_pooling` the
    kind of each module behind the pooling by its folder, which has its own files. Raises
    `UserError` for a layer other than the last, which no module of theirs pools.

    `mean_padded` has no name there: Pooling averages over the attention mask, or over all positions
    where the mask's last dimension is not their number (`Pooling.forward`). So a stock Dense module
    between the two, which maps every token embedding to the constant 1, overwrites the mask, by
    then used, with one of shape [B, T, 1]. `processing_kwargs` asks for padding to `max_length`.
    For `mean_pieces` a stock WordWeights module weighs the marks 0, all other tokens 1.
    """
    if settings.layer is not None:
        problem = "sentence-transformers pools only the last layer"
        raise UserError(f"layer {settings.layer}", problem, "leave it out")
    pooling, prompts = settings.pooling, settings.prompts
    of_pooler = pooling == "pooler"
    output = "pooler_output" if of_pooler else "last_hidden_state"
    transformer: dict[str, Any] = {
        "transformer_task": "feature-extraction",
        "modality_config": {"text": {"method": "forward", "method_output_name": output}},
        "module_output_name": "sentence_embedding" if of_pooler else "token_embeddings",
        "max_seq_length": settings.max_length,
    }
    modules = [("", "base.modules.transformer.Transformer")]
    configs: dict[str, Any] = {}
    if pooling == "mean_padded":
        transformer["processing_kwargs"] = {"text": {"padding": "max_length"}}
        modules.append(("1_AllPositions", "base.modules.dense.Dense"))
        configs["1_AllPositions/config.json"] = {
            **{"in_features": dimension, "out_features": 1, "bias": True},
            "activation_function": "torch.nn.modules.linear.Identity",
            **{"module_input_name": "token_embeddings", "module_output_name": "attention_mask"},
        }
    if pooling == "mean_pieces":
        kind = "sentence_transformer.modules.word_weights.WordWeights"
        modules.append(("1_WithoutMarks", kind))
        configs["1_WithoutMarks/config.json"] = {
            # It asks for the weights of words; all that counts here are the places in the list.
            "vocab": ["mark" if token in marks else "" for token in range(vocabulary)],
            **{"word_weights": {"mark": 0.0}, "unknown_word_weight": 1.0},
        }
    if not of_pooler:
        modules.append(("1_Pooling", "sentence_transformer.modules.pooling.Pooling"))
        kind = pooling if pooling in ("cls", "max") else "mean"
        mode = {"pooling_mode": kind, "include_prompt": True}
        configs["1_Pooling/config.json"] = {"embedding_dimension": dimension, **mode}
    modules += [
        (path, f"base.modules.{kind.lower()}.{kind}") for path, kind in after_pooling.items()
    ]
    configs["sentence_bert_config.json"] = transformer
    configs["modules.json"] = [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.{kind}"}
        for n, (path, kind) in enumerate(modules)
    ]
    configs["config_sentence_transformers.json"] = {
        "default_prompt_name": "default" if "default" in prompts else None,
        "model_type": "SentenceTransformer",
        "prompts": {
            **({"default": prompts["default"]} if "default" in prompts else {}),
            "document": settings.prompt("passage"),
            "query": settings.prompt("query"),
        },
        "similarity_fn_name": "cosine",
        **({} if settings.dimensions is None else {"truncate_dim": settings.dimensions}),
    }
    for name, content in configs.items():
        write_text(folder / name, json.dumps(content, indent=2) + "\n")
    if pooling == "mean_padded":
        # reading needs no torch
        import torch
        from safetensors.torch import save_file

        ones = {"linear.weight": torch.zeros(1, dimension), "linear.bias": torch.ones(1)}
        save_file(ones, folder / "1_AllPositions/model.safetensors", metadata={"format": "pt"})


def read_sentence_transformers_files(folder: Path) -> RecordedModel:
    """Return what a folder of sentence-transformers records about itself.

    A folder without modules.json records nothing, whatever else is in it.
    """
    if not (folder / "modules.json").is_file():
        return RecordedModel()
    modules = [_read_module(entry) for entry in read_json(folder / "modules.json")]
    record: dict[str, Any] = {}
    try:
        return RecordedModel(record, _read_modules(folder, modules, record))
    except _NotUnderstoodError as error:
        return RecordedModel({}, problem=str(error))


def read_modules_after_pooling(folder: Path) -> tuple[Module, ...]:
    """Return the modules behind the pooling of an encoder folder that this project wrote."""
    if not (folder / "modules.json").is_file():
        return ()
    modules = [_read_module(entry) for entry in read_json(folder / "modules.json")]
    kinds = [module.kind for module in modules]
    # pooling `pooler` has no module of its own
    start = kinds.index("Pooling") if "Pooling" in kinds else 0
    return tuple(modules[start + 1 :])


class _NotUnderstoodError(ValueError):
    """What a folder says that this project cannot do."""


def _read_module(entry: Mapping[str, str]) -> Module:
    package, _, kind = entry["type"].rpartition(".")
    is_theirs = package.partition(".")[0] == "sentence_transformers"
    return Module(entry["path"], kind if is_theirs else entry["type"])


def _read_modules(
    folder: Path, modules: Sequence[Module], record: dict[str, Any]
) -> tuple[Module, ...]:
    """Fill `record` with the settings of a folder; return the modules behind its pooling."""
    known = {"Transformer", "Pooling", *AFTER_POOLING}
    for module in modules:
        if module.kind not in known:
            raise _NotUnderstoodError(f"its module {module.path or 0} is of kind {module.kind}")
    kinds = [module.kind for module in modules]
    if kinds[:2] != ["Transformer", "Pooling"] or not AFTER_POOLING.issuperset(kinds[2:]):
        raise _NotUnderstoodError(f"its modules are {', '.join(kinds)}, in this order")
    transformer, pooling, *others = modules
    own = _read_transformer(folder / transformer.path)
    content = _read_config(folder / pooling.path / "config.json")
    record["pooling"] = _read_pooling(content)
    for module in others:
        _check_module(module, _read_config(folder / module.path / "config.json"))
    config = _read_config(folder / "config_sentence_transformers.json")
    if prompts := _read_prompts(config):
        if not content.get("include_prompt", True):
            raise _NotUnderstoodError("its pooling leaves out the tokens of the prompt")
        record["prompts"] = prompts
    if (length := _read_length(folder / transformer.path, own)) is not None:
        record["max_length"] = length
    if config.get("truncate_dim") is not None:
        record["dimensions"] = int(config["truncate_dim"])
    return tuple(others)


def _read_config(file: Path) -> dict[str, Any]:
    return dict(read_json(file)) if file.is_file() else {}


def _read_transformer(folder: Path) -> dict[str, Any]:
    """Return the config of the module that runs the model, checked."""
    files = sorted(folder.glob("sentence_*_config.json"))
    own = _read_config(files[0]) if files else {}
    # strings are not changed here before they are encoded, but for prompts
    if own.get("do_lower_case"):
        raise _NotUnderstoodError("it lower-cases strings itself (do_lower_case)")
    if own.get("processing_kwargs"):
        raise _NotUnderstoodError("it sets how strings are tokenised (processing_kwargs)")
    if (output := own.get("module_output_name", "token_embeddings")) != "token_embeddings":
        raise _NotUnderstoodError(f"its model gives {output}")
    text = own.get("modality_config", {}).get("text", {})
    if (state := text.get("method_output_name", "last_hidden_state")) != "last_hidden_state":
        raise _NotUnderstoodError(f"it pools {state}")
    return own


def _read_pooling(content: Mapping[str, Any]) -> str:
    modes = content.get("pooling_mode")
    if modes is None:
        prefix = "pooling_mode_"
        older = [key for key in content if key.startswith(prefix) and content[key]]
        modes = [_OLD_POOLINGS.get(key, key.removeprefix(prefix)) for key in older] or ["mean"]
    modes = [modes] if isinstance(modes, str) else modes
    if len(modes) != 1 or modes[0] not in _OLD_POOLINGS.values():
        raise _NotUnderstoodError(f"its pooling is {' and '.join(modes)}")
    return str(modes[0])


def _check_module(module: Module, config: Mapping[str, Any]) -> None:
    """Raise an error for a module that works on something else than the pooled vector."""
    for key in ("module_input_name", "module_output_name"):
        if (config.get(key) or _VECTOR) != _VECTOR:
            raise _NotUnderstoodError(f"its module {module.path} has {key} {config[key]}")


def _read_length(folder: Path, own: Mapping[str, Any]) -> int | None:
    """Return the number of tokens that strings are cut to, None where no file limits it."""
    if (lengths := [own.get("max_seq_length")]) == [None]:
        lengths = [
            _read_config(folder / "tokenizer_config.json").get("model_max_length"),
            _read_config(folder / "config.json").get("max_position_embeddings"),
        ]
    # transformers writes 10^30 where a tokenizer has no limit, XLNet's config -1
    known = [n for n in lengths if isinstance(n, int) and 0 < n < _NO_LIMIT]
    return min(known, default=None)


def _read_prompts(config: Mapping[str, Any]) -> dict[str, str]:
    """Return the prompts by role that sentence-transformers would use.

    A role without a prompt of its own takes the default one, there as here, so that an empty one
    counts where there is a default.
    """
    named: dict[str, str] = config.get("prompts") or {}
    prompts = {}
    if (default := config.get("default_prompt_name")) is not None:
        prompts["default"] = named[default]
    for role, names in _PROMPT_NAMES.items():
        if (name := next((name for name in names if name in named), None)) is not None:
            prompts[role] = named[name]
    return {role: prompt for role, prompt in prompts.items() if prompt or prompts.get("default")}

"""The files of sentence-transformers 6 in a model folder, and the settings that they record."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.errors import UserError
from workflow_scripts.files import read_json, write_text

_NO_LIMIT = 100_000
# Normalize leaves cosines as they are.
_KNOWN_MODULES = {"Transformer", "Pooling", "Normalize"}
_OLD_POOLINGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}
# what sentence-transformers calls the prompts of our roles
_PROMPT_NAMES = {"query": ("query",), "passage": ("document", "passage", "corpus")}


def write_sentence_transformers_files(
    folder: Path,
    settings: EncoderSettings,
    dimension: int,
    vocabulary: int,
    marks: Collection[int | None],
) -> None:
    """Write modules.json and the config of each module into a model folder.

    `vocabulary` is the number of token ids, `marks` those of [CLS] and [SEP]. Raises `UserError`
    for a layer other than the last, which no module of theirs pools.

    `mean_padded` has no name there: Pooling averages over the attention mask, or over all positions
    where the mask's last dimension is not their number (`Pooling.forward`). So a stock Dense module
    between the two, which maps every token embedding to the constant 1, overwrites the mask, by
    then used, with one of shape [B, T, 1]. `processing_kwargs` asks for padding to `max_length`.
    For `mean_pieces` a stock WordWeights module weighs the marks 0, all other tokens 1.
    """
    if settings.layer is not None:
        problem = "sentence-transformers pools the last layer alone"
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
    }
    for name, content in configs.items():
        write_text(folder / name, json.dumps(content, indent=2) + "\n")
    if pooling == "mean_padded":
        # reading needs no torch
        import torch
        from safetensors.torch import save_file

        ones = {"linear.weight": torch.zeros(1, dimension), "linear.bias": torch.ones(1)}
        save_file(ones, folder / "1_AllPositions/model.safetensors", metadata={"format": "pt"})


def read_sentence_transformers_files(folder: Path) -> dict[str, Any]:
    """Return the settings that a folder of sentence-transformers records, as far as it does."""

    def read(name: str) -> Any:
        return read_json(folder / name) if (folder / name).is_file() else {}

    modules = {entry["type"].rpartition(".")[2]: entry for entry in read("modules.json")}
    if set(modules) - _KNOWN_MODULES or "Pooling" not in modules:
        return {}
    own = read("sentence_bert_config.json")
    # strings are not changed here before they are encoded, but for prompts
    if own.get("do_lower_case"):
        return {}
    record: dict[str, Any] = {}
    pooling = read(f"{modules['Pooling']['path']}/config.json")
    others = [key for key in pooling if key.startswith("pooling_mode_") and pooling[key]]
    old = _OLD_POOLINGS.get(others[0]) if len(others) == 1 else None
    if (mode := pooling.get("pooling_mode", old)) in _OLD_POOLINGS.values():
        record["pooling"] = mode
    if prompts := _read_prompts(read("config_sentence_transformers.json")):
        # a pooling that leaves the prompt's tokens out is none of ours
        if not pooling.get("include_prompt", True):
            return {}
        record["prompts"] = prompts
    lengths = [own.get("max_seq_length"), read("tokenizer_config.json").get("model_max_length")]
    # transformers writes 10^30 where a tokenizer has no limit
    known = [length for length in lengths if isinstance(length, int) and length < _NO_LIMIT]
    return record | ({"max_length": known[0]} if known else {})


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

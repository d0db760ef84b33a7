"""The files that make a model folder a folder of sentence-transformers 6."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from workflow_scripts.embedding.settings import EncoderSettings
from workflow_scripts.errors import UserError
from workflow_scripts.files import write_text


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
        ones = {"linear.weight": torch.zeros(1, dimension), "linear.bias": torch.ones(1)}
        save_file(ones, folder / "1_AllPositions/model.safetensors", metadata={"format": "pt"})

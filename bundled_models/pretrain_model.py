"""Pretrain a small masked language model on prepared text, from word vectors on.

After a kill it resumes from its checkpoint, which is removed once the model folder (fp16) is there.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from bundled_models.settings import Architecture, Examples, Training, parse_settings
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError
from workflow_scripts.files import (
    append_to,
    atomic_directory,
    read_json,
    sha256_of,
    write_text,
)
from workflow_scripts.imports import Device, quick_imports
from workflow_scripts.path_functions import command


def pretrain_model(
    *,
    name: str,
    text: Path,
    tokenizer: Path,
    word_vectors: Path,
    architecture: str,
    training: str,
    language_exponent: float = 1.0,
    examples: str = "[]",
    seed: int,
    threads: int = 1,
    device: Device = "cpu",
    checkpoint: Path,
    training_log: Path,
    output: Path,
) -> None:
    """Pretrain a small masked language model on prepared text, from word vectors on.

    A killed training resumes from its checkpoint.

    Args:
        name: name of the model, for its card
        text: folder made by prepare_text
        tokenizer: folder of train_tokenizer
        word_vectors: safetensors file
        architecture: JSON: family, layers, units, ...
        training: JSON: minutes or steps, stages, ...
        language_exponent: exponent of the languages' shares
        examples: JSON: texts with {mask} for the card
        seed: seed of weights, batches and masks
        threads: threads of torch
        device: where the model runs; auto: CUDA where there is a device
        checkpoint: file to resume from
        training_log: JSON-lines file
        output: model folder to write
    """
    shape = parse_settings(Architecture, architecture, "--architecture")
    settings = parse_settings(Training, training, "--training")
    texts_of_card = parse_settings(Examples, examples, "--examples")
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import torch
        from safetensors.numpy import load_file

        from bundled_models import model_card, tokenizers_of_families
        from bundled_models import training as loop
        from bundled_models.encoded_text import encode_prepared
        from bundled_models.masked_lm import build_model, warm_start
        from workflow_scripts.embedding.torch_setup import set_up_torch

    torch_device = set_up_torch(threads, device)
    loaded = tokenizers_of_families.load_tokenizer(tokenizer)
    longest = max(stage.length for stage in settings.stages)
    if longest > loaded.model_max_length:
        raise UserError(
            "--training",
            f"a stage of {longest} tokens is longer than the tokenizer's maximum "
            f"({loaded.model_max_length})",
            "shorten it",
        )
    texts = encode_prepared(loaded, text, "train")
    validation = encode_prepared(loaded, text, "validation")
    model = build_model(shape, loaded, seed)
    vectors = load_file(word_vectors)["embeddings"]
    warm_start(model, vectors, model_card.count_pieces(texts.values(), len(loaded)))
    model.to(torch_device)
    exponent = language_exponent
    vocabulary = loop.Vocabulary.of(loaded)
    task = loop.Task(settings, texts, validation, vocabulary, exponent, seed, torch_device)
    # What decides the weights: a checkpoint of another training is refused.
    summary = text / "summary.json"
    files = (tokenizer / "tokenizer.json", word_vectors, summary)
    made_of = repr([(shape, settings, seed, exponent), *map(sha256_of, files)])
    training_log.parent.mkdir(parents=True, exist_ok=True)
    if not checkpoint.is_file():
        training_log.unlink(missing_ok=True)
    with append_to(training_log) as stream:

        def record(line: dict[str, Any]) -> None:
            stream.write(json.dumps(line) + "\n")
            stream.flush()

        digest = hashlib.sha256(made_of.encode()).hexdigest()
        position = loop.train_masked_lm(model, task, checkpoint, digest, record)
        losses = model_card.losses_beside_unigrams(loop.validation_loss(model, task), task)
        line = position.line("end") | {"validation_loss": round(losses["all"][0], 4)}
        record(line | {"unigram_entropy": round(losses["all"][2], 4)})
    machine = f"{threads} CPU core{'s' if threads > 1 else ''}"
    if torch_device.type == "cuda":
        machine = f"one {torch.cuda.get_device_name(torch_device)}"
    card = model_card.write_card(
        *(name, model.eval(), loaded, shape, task, position),
        *(read_json(summary), losses, training_log, texts_of_card, machine),
    )
    # The rates that a later tuning takes as the model's own.
    model.config.hidden_dropout_prob = shape.dropout
    model.config.attention_probs_dropout_prob = shape.dropout
    with atomic_directory(output) as folder:
        model.cpu().half().save_pretrained(folder)
        # safetensors makes files that only their owner may read.
        (folder / "model.safetensors").chmod(0o644)
        tokenizers_of_families.save_tokenizer(loaded, folder)
        write_text(folder / "README.md", card)
    checkpoint.unlink()


main = command(pretrain_model)

if __name__ == "__main__":
    run_command(main)

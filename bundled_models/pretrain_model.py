"""Pretrain a small masked language model on prepared text, from word vectors on.

After a kill it resumes from its checkpoint, which is removed once the model folder (fp16) is there.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

from bundled_models.settings import Architecture, Examples, Training, parse_settings
from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import (
    append_to,
    atomic_directory,
    read_json,
    sha256_of,
    write_text,
)
from workflow_scripts.imports import quick_imports


def pretrain(arguments: argparse.Namespace) -> None:
    architecture = parse_settings(Architecture, arguments.architecture, "--architecture")
    training = parse_settings(Training, arguments.training, "--training")
    examples = parse_settings(Examples, arguments.examples, "--examples")
    # Only now: torch and transformers take seconds, which bad arguments should not wait for.
    with quick_imports():
        import torch
        from safetensors.numpy import load_file

        from bundled_models import model_card, tokenizers_of_families
        from bundled_models import training as loop
        from bundled_models.encoded_text import encode_prepared
        from bundled_models.masked_lm import build_model, warm_start
        from workflow_scripts.embedding.torch_setup import set_up_torch

    device = set_up_torch(arguments.threads, arguments.device)
    tokenizer = tokenizers_of_families.load_tokenizer(arguments.tokenizer)
    longest = max(stage.length for stage in training.stages)
    if longest > tokenizer.model_max_length:
        raise UserError(
            "--training",
            f"a stage of {longest} tokens is longer than the tokenizer's maximum "
            f"({tokenizer.model_max_length})",
            "shorten it",
        )
    texts = encode_prepared(tokenizer, arguments.text, "train")
    validation = encode_prepared(tokenizer, arguments.text, "validation")
    model = build_model(architecture, tokenizer, arguments.seed)
    vectors = load_file(arguments.word_vectors)["embeddings"]
    warm_start(model, vectors, model_card.count_pieces(texts.values(), len(tokenizer)))
    model.to(device)
    exponent, seed = arguments.language_exponent, arguments.seed
    vocabulary = loop.Vocabulary.of(tokenizer)
    task = loop.Task(training, texts, validation, vocabulary, exponent, seed, device)
    # What decides the weights: a checkpoint of another training is refused.
    summary = arguments.text / "summary.json"
    files = (arguments.tokenizer / "tokenizer.json", arguments.word_vectors, summary)
    made_of = repr([(architecture, training, seed, exponent), *map(sha256_of, files)])
    log = arguments.training_log
    log.parent.mkdir(parents=True, exist_ok=True)
    if not arguments.checkpoint.is_file():
        log.unlink(missing_ok=True)
    with append_to(log) as stream:

        def record(line: dict[str, Any]) -> None:
            stream.write(json.dumps(line) + "\n")
            stream.flush()

        digest = hashlib.sha256(made_of.encode()).hexdigest()
        position = loop.train_masked_lm(model, task, arguments.checkpoint, digest, record)
        losses = model_card.losses_beside_unigrams(loop.validation_loss(model, task), task)
        line = position.line("end") | {"validation_loss": round(losses["all"][0], 4)}
        record(line | {"unigram_entropy": round(losses["all"][2], 4)})
    machine = f"{arguments.threads} CPU core{'s' if arguments.threads > 1 else ''}"
    if device.type == "cuda":
        machine = f"one {torch.cuda.get_device_name(device)}"
    card = model_card.write_card(
        *(arguments.name, model.eval(), tokenizer, architecture, task, position),
        *(read_json(summary), losses, log, examples, machine),
    )
    # The rates that a later tuning takes as the model's own.
    model.config.hidden_dropout_prob = architecture.dropout
    model.config.attention_probs_dropout_prob = architecture.dropout
    with atomic_directory(arguments.output) as folder:
        model.cpu().half().save_pretrained(folder)
        # safetensors makes files that only their owner may read.
        (folder / "model.safetensors").chmod(0o644)
        tokenizers_of_families.save_tokenizer(tokenizer, folder)
        write_text(folder / "README.md", card)
    arguments.checkpoint.unlink()


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="name of the model, for its card")
    parser.add_argument("--text", type=Path, required=True, help="folder made by prepare_text")
    parser.add_argument("--tokenizer", type=Path, required=True, help="folder of train_tokenizer")
    parser.add_argument("--word-vectors", type=Path, required=True, help="safetensors file")
    parser.add_argument("--architecture", required=True, help="JSON: family, layers, units, ...")
    parser.add_argument("--training", required=True, help="JSON: minutes or steps, stages, ...")
    parser.add_argument("--language-exponent", type=float, default=1.0)
    parser.add_argument("--examples", default="[]", help="JSON: texts with {mask} for the card")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="cpu")
    parser.add_argument("--checkpoint", type=Path, required=True, help="file to resume from")
    parser.add_argument("--training-log", type=Path, required=True, help="JSON-lines file")
    parser.add_argument("--output", type=Path, required=True, help="model folder to write")
    pretrain(parser.parse_args(argv))


if __name__ == "__main__":
    run_command(main)

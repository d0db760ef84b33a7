"""Pretrain a small masked language model on prepared text.

Starts from word vectors, trains under a budget of minutes or steps, resumes from its checkpoint
after a kill, and writes a model folder: fp16 safetensors, config, tokenizer and model card. The
checkpoint is removed once the model is written.
"""

import argparse
import datetime
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from workflow_scripts.errors import UserError, run_command
from workflow_scripts.files import atomic_directory, read_json, sha256_of, write_text
from workflow_scripts.pretraining.checkpoints import Position
from workflow_scripts.pretraining.encoded_text import EncodedText, encode_lines
from workflow_scripts.pretraining.masked_lm import build_model, warm_start
from workflow_scripts.pretraining.model_card import CardFacts, write_card
from workflow_scripts.pretraining.prepared_text import read_prepared
from workflow_scripts.pretraining.settings import (
    Architecture,
    Stage,
    Training,
    parse_json,
    parse_settings,
)
from workflow_scripts.pretraining.tokenizers_of_families import load_tokenizer, save_tokenizer
from workflow_scripts.pretraining.training import (
    Record,
    Vocabulary,
    mean_loss,
    train_masked_lm,
    unigram_entropy,
    unigram_loss,
    validation_loss,
)

MASK_IN_EXAMPLES = "{mask}"
_CURVE_POINTS = 12
_PIECES_SHOWN = 4


def choose_device(name: str) -> torch.device:
    """Return the device; `auto` takes a GPU if there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and not torch.cuda.is_available():
        raise UserError("--device cuda: no GPU is available; use --device cpu")
    return torch.device(name)


def count_pieces(texts: Mapping[str, EncodedText], vocabulary: int) -> np.ndarray:
    """Return how often each piece occurs, int64 [vocabulary]."""
    return sum(np.bincount(text.ids, minlength=vocabulary) for text in texts.values())


def fill_masks(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    examples: list[str],
    device: torch.device,
) -> dict[str, list[tuple[str, float]]]:
    """Return for each example the best pieces for its `{mask}` with their probabilities.

    Raises `UserError` for an example without exactly one `{mask}`.
    """
    fillings: dict[str, list[tuple[str, float]]] = {}
    for example in examples:
        if example.count(MASK_IN_EXAMPLES) != 1:
            raise UserError(f"examples: {example!r} needs {MASK_IN_EXAMPLES} exactly once")
        text = example.replace(MASK_IN_EXAMPLES, tokenizer.mask_token)
        encoded = tokenizer(text, return_tensors="pt", truncation=True).to(device)
        with torch.inference_mode():
            logits = model(**encoded).logits[encoded.input_ids == tokenizer.mask_token_id][0]
        best = logits.float().softmax(-1).topk(_PIECES_SHOWN)
        pieces = [tokenizer.decode([index]).strip() for index in best.indices.tolist()]
        fillings[text] = list(zip(pieces, best.values.tolist(), strict=True))
    return fillings


def read_log(path: Path) -> list[Record]:
    """Return the records of a JSON-lines log, a torn last line left out."""
    records: list[Record] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def loss_curve(records: list[Record]) -> list[tuple[float, int, float]]:
    """Return some (minutes, tokens, training loss) of the log, the last one always among them.

    Records that a later, resumed run overtook are left out.
    """
    by_step = {r["step"]: r for r in records if r.get("event") == "train"}
    rows = [by_step[step] for step in sorted(by_step)]
    stride = max(1, len(rows) // _CURVE_POINTS)
    chosen = rows[::-1][::stride][::-1]
    return [(r["seconds"] / 60.0, r["tokens"], r["loss"]) for r in chosen]


def _digest(arguments: argparse.Namespace, architecture: Architecture, training: Training) -> str:
    parts = [
        repr(architecture),
        repr(training),
        repr((arguments.seed, arguments.language_exponent)),
        sha256_of(arguments.tokenizer / "tokenizer.json"),
        sha256_of(arguments.word_vectors),
        sha256_of(arguments.text / "summary.json"),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _longest_stage(training: Training) -> Stage:
    """Return the stage with the largest share of the budget."""
    starts = [0.0, *(stage.until for stage in training.stages)]
    shares = [stage.until - start for start, stage in zip(starts, training.stages, strict=False)]
    return training.stages[shares.index(max(shares))]


def _recipe(training: Training) -> str:
    lengths = ", then ".join(
        f"{stage.length} tokens{' (sentences packed)' if stage.pack else ''}"
        for stage in training.stages
    )
    fate = "learns on" if training.embedding_rate else "is kept as it is"
    return " ".join(
        [
            "the embedding matrix starts from count-based vectors of the pieces (pointwise mutual",
            f"information reduced by singular value decomposition) and {fate};",
            f"masked language modelling, {training.masked:.0%} masked,",
            f"sequences of up to {lengths}, batches of about {training.tokens_per_batch} tokens,",
            f"AdamW with a peak rate of {training.learning_rate:g}, linear warm-up and decay,",
            "no dropout (the rate in config.json is what a later tuning takes as the model's own).",
        ]
    )


def main(argv: list[str] | None = None) -> None:
    """Run the command."""
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
    parser.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto")
    parser.add_argument("--checkpoint", type=Path, required=True, help="file to resume from")
    parser.add_argument("--training-log", type=Path, required=True, help="JSON-lines file")
    parser.add_argument("--output", type=Path, required=True, help="model folder to write")
    arguments = parser.parse_args(argv)
    architecture = parse_settings(Architecture, arguments.architecture, "--architecture")
    training = parse_settings(Training, arguments.training, "--training")
    examples = parse_json(arguments.examples, list, "--examples")
    torch.set_num_threads(arguments.threads)
    device = choose_device(arguments.device)
    tokenizer = load_tokenizer(arguments.tokenizer)
    longest = max(stage.length for stage in training.stages)
    if longest > tokenizer.model_max_length:
        raise UserError(
            f"--training: a stage of {longest} tokens is longer than the tokenizer's maximum "
            f"({tokenizer.model_max_length}); shorten it"
        )
    texts, validation = (
        {
            language: encode_lines(tokenizer, lines)
            for language, lines in read_prepared(arguments.text, part).items()
        }
        for part in ("train", "validation")
    )
    model = build_model(architecture, tokenizer, arguments.seed)
    vectors = load_file(arguments.word_vectors)["embeddings"]
    counts = count_pieces(texts, len(tokenizer))
    warm_start(model, vectors, counts)
    model.to(device)
    vocabulary = Vocabulary.of(tokenizer)
    arguments.training_log.parent.mkdir(parents=True, exist_ok=True)
    if not arguments.checkpoint.is_file():
        arguments.training_log.unlink(missing_ok=True)
    with open(arguments.training_log, "a", encoding="utf-8") as log:

        def record(line: Record) -> None:
            log.write(json.dumps(line) + "\n")
            log.flush()

        position = train_masked_lm(
            model,
            vocabulary,
            texts,
            validation,
            arguments.language_exponent,
            training,
            arguments.seed,
            device,
            arguments.checkpoint,
            _digest(arguments, architecture, training),
            record,
        )
        sums = validation_loss(model, validation, vocabulary, training, arguments.seed, device)
        held_out = np.concatenate([text.ids for text in validation.values()])
        entropy = unigram_entropy(held_out)
        record(
            {
                "event": "end",
                "step": position.step,
                "tokens": position.tokens,
                "seconds": round(position.seconds, 1),
                "validation_loss": round(mean_loss(sums), 4),
                "unigram_entropy": round(entropy, 4),
            }
        )
    model.eval()
    facts = _facts(arguments, architecture, training, tokenizer, model, texts, position)
    card = write_card(
        CardFacts(
            **facts,
            hardware=_hardware(device, arguments.threads),
            validation_loss=mean_loss(sums),
            unigram=unigram_loss(held_out, counts),
            entropy=entropy,
            losses={
                language: (
                    total / count,
                    unigram_loss(
                        validation[language].ids,
                        count_pieces({language: texts[language]}, len(tokenizer)),
                    ),
                    unigram_entropy(validation[language].ids),
                )
                for language, (total, count) in sums.items()
            },
            curve=loss_curve(read_log(arguments.training_log)),
            fillings=fill_masks(model, tokenizer, examples, device),
        )
    )
    _save(model, tokenizer, architecture, card, arguments.output)
    arguments.checkpoint.unlink()


def _facts(
    arguments: argparse.Namespace,
    architecture: Architecture,
    training: Training,
    tokenizer: PreTrainedTokenizerFast,
    model: PreTrainedModel,
    texts: Mapping[str, EncodedText],
    position: Position,
) -> dict[str, object]:
    summary = read_json(arguments.text / "summary.json")
    kind = type(tokenizer.backend_tokenizer.model).__name__
    return {
        "name": arguments.name,
        "family": {"bert": "BERT", "roberta": "RoBERTa"}[architecture.family],
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "layers": architecture.layers,
        "units": architecture.units,
        "heads": architecture.heads,
        "vocabulary": len(tokenizer),
        "tokenizer": {"WordPiece": "word pieces", "BPE": "byte-level byte pairs"}[kind],
        "seed": arguments.seed,
        "texts": list(summary["texts"].values()),
        "training_tokens": {language: len(text.ids) for language, text in texts.items()},
        "excluded": summary["evaluation_sentences"],
        "steps": position.step,
        "tokens": position.tokens,
        "minutes": position.seconds / 60.0,
        "recipe": _recipe(training),
        "best_length": _longest_stage(training).length,
    }


def _hardware(device: torch.device, threads: int) -> str:
    if device.type == "cuda":
        return f"one {torch.cuda.get_device_name(device)}"
    return f"{threads} CPU core{'s' if threads > 1 else ''}"


def _save(
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    architecture: Architecture,
    card: str,
    output: Path,
) -> None:
    """Write the model folder in fp16, with the architecture's dropout in its config."""
    model.config.hidden_dropout_prob = architecture.dropout
    model.config.attention_probs_dropout_prob = architecture.dropout
    with atomic_directory(output) as folder:
        model.cpu().half().save_pretrained(folder)
        # safetensors makes files that only their owner may read.
        (folder / "model.safetensors").chmod(0o644)
        save_tokenizer(tokenizer, folder)
        write_text(folder / "README.md", card)


if __name__ == "__main__":
    run_command(main)

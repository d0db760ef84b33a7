"""The README.md of a pretrained model: its text, training and losses (nats per masked piece)."""

import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from bundled_models.encoded_text import EncodedText
from bundled_models.settings import MASK_IN_EXAMPLES, Architecture, Training
from bundled_models.training import Position, Task, mean_loss

_CURVE_POINTS = 12
_PIECES_SHOWN = 4


def count_pieces(texts: Iterable[EncodedText], vocabulary: int) -> np.ndarray:
    """Return how often each piece occurs, int64 [vocabulary]."""
    return sum(np.bincount(text.ids, minlength=vocabulary) for text in texts)


def unigram_entropy(ids: np.ndarray) -> float:
    """Return the entropy (nats) of the pieces in `ids` (int [tokens]), too low for few of them."""
    counts = np.unique(ids, return_counts=True)[1]
    shares = counts / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def unigram_loss(ids: np.ndarray, counts: np.ndarray) -> float:
    """Return the loss (nats per piece) on `ids` of the piece `counts` (+ 1 each) of other text."""
    shares = (counts + 1) / (counts + 1).sum()
    return float(-np.log(shares[ids]).mean())


def losses_beside_unigrams(
    sums: Mapping[str, tuple[float, int]], task: Task
) -> dict[str, tuple[float, float, float]]:
    """Return (validation loss, unigram loss, unigram entropy) of each language, last of `all`."""

    def row(*parts: Mapping[str, Any]) -> tuple[float, float, float]:
        held_out = np.concatenate([text.ids for text in parts[2].values()])
        counts = count_pieces(parts[1].values(), task.vocabulary.size)
        return mean_loss(parts[0]), unigram_loss(held_out, counts), unigram_entropy(held_out)

    parts = (sums, task.texts, task.validation)
    rows = {language: row(*({language: part[language]} for part in parts)) for language in sums}
    return rows | {"all": row(*parts)}


def fill_masks(
    model: PreTrainedModel, tokenizer: PreTrainedTokenizerFast, examples: Sequence[str]
) -> dict[str, list[tuple[str, float]]]:
    """Return for each example the best pieces for its `{mask}` with their probabilities."""
    fillings: dict[str, list[tuple[str, float]]] = {}
    for example in examples:
        text = example.replace(MASK_IN_EXAMPLES, tokenizer.mask_token)
        encoded = tokenizer(text, return_tensors="pt", truncation=True).to(model.device)
        with torch.inference_mode():
            logits = model(**encoded).logits[encoded.input_ids == tokenizer.mask_token_id][0]
        best = logits.float().softmax(-1).topk(_PIECES_SHOWN)
        pieces = [tokenizer.decode([index]).strip() for index in best.indices.tolist()]
        fillings[text] = list(zip(pieces, best.values.tolist(), strict=True))
    return fillings


def loss_curve(log: Path) -> list[tuple[float, int, float]]:
    """Return some (minutes, tokens, training loss) of the log, the last one always among them."""
    by_step: dict[int, dict[str, Any]] = {}  # a resumed run overtakes what stands before
    for line in log.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:  # torn by a kill
            continue
        if record.get("event") == "train":
            by_step[record["step"]] = record
    rows = [by_step[step] for step in sorted(by_step)]
    stride = max(1, len(rows) // _CURVE_POINTS)
    return [(r["seconds"] / 60.0, r["tokens"], r["loss"]) for r in rows[::-1][::stride][::-1]]


def _recipe(training: Training) -> str:
    lengths = ", then ".join(
        f"{stage.length} tokens{' (sentences packed)' if stage.pack else ''}"
        for stage in training.stages
    )
    fate = "learns on" if training.embedding_rate else "is kept as it is"
    return (
        "the embedding matrix starts from count-based vectors of the pieces (pointwise mutual "
        f"information reduced by singular value decomposition) and {fate}; "
        f"masked language modelling, {training.masked:.0%} masked, "
        f"sequences of up to {lengths}, batches of about {training.tokens_per_batch} tokens, "
        f"AdamW with a peak rate of {training.learning_rate:g}, linear warm-up and decay, "
        "no dropout (the rate in config.json is what a later tuning takes as the model's own)."
    )


def _table(header: str, rows: Iterable[Iterable[object]]) -> str:
    cells = ([str(value).replace("|", "\\|") for value in row] for row in rows)
    lines = [f"| {header} |", "|" + " --- |" * len(header.split("|"))]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in cells])


def write_card(
    name: str,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerFast,
    architecture: Architecture,
    task: Task,
    position: Position,
    summary: Mapping[str, Any],
    losses: Mapping[str, tuple[float, float, float]],
    log: Path,
    examples: Sequence[str],
    machine: str,
) -> str:
    """Return the card as Markdown with the front matter of a model hub."""
    tokens = {language: len(text.ids) for language, text in task.texts.items()}
    languages = "\n".join(f"- {language}" for language in sorted(tokens))
    bert = architecture.family == "bert"
    family, pieces = ("BERT", "word pieces") if bert else ("RoBERTa", "byte-level byte pairs")
    starts = [0.0, *(stage.until for stage in task.training.stages)]
    shares = [s.until - start for start, s in zip(starts, task.training.stages, strict=False)]
    usual_length = task.training.stages[shares.index(max(shares))].length
    parameters = sum(parameter.numel() for parameter in model.parameters()) / 1e6
    date = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    kept_out = "No evaluation sentences were filtered out."
    if excluded := summary["evaluation_sentences"]:
        kept_out = (
            f"Sentences equal, in letters and digits, to one of {excluded} evaluation sentences "
            "(STS 2012-2017, STS Benchmark dev and test, SICK, QNLI dev) were dropped too."
        )
    keys = ("name", "language", "licence", "sentences", "characters")
    rows = ([text[key] for key in keys] for text in summary["texts"].values())
    texts = _table("text | language | licence | sentences | characters", rows)
    of_all = {**tokens, "all": sum(tokens.values())}
    rows = ([key, of_all[key], *(f"{one:.2f}" for one in row)] for key, row in losses.items())
    header = "language | tokens of text | validation loss | unigram loss | unigram entropy"
    loss_table = _table(header, rows)
    rows = ([f"{minutes:.1f}", seen, f"{loss:.2f}"] for minutes, seen, loss in loss_curve(log))
    curve_table = _table("minutes | tokens seen | training loss", rows)
    rows = (
        [f"`{text}`", ", ".join(f"{piece} ({share:.2f})" for piece, share in best)]
        for text, best in fill_masks(model, tokenizer, examples).items()
    )
    filling_table = _table("text | best pieces", rows)
    return f"""---
language:
{languages}
library_name: transformers
pipeline_tag: fill-mask
---

# {name}

A very small {family} model, made so that this project can be run and tested offline. It knows
little: use it to see that everything works, not for its scores.

{architecture.layers} layers of {architecture.units} units, {architecture.heads} heads, \
{parameters:.1f} M parameters, fp16. Tokenizer: {pieces}, {len(tokenizer)} pieces.

## Training

Trained from scratch with the project's `bundled_models/Snakefile`: {_recipe(task.training)} \
{position.step} steps, {position.tokens / 1e6:.1f} M tokens seen in \
{position.seconds / 60:.0f} minutes on {machine}, seed {task.seed}, {date}.

{curve_table}

Made for texts of up to {usual_length} tokens: later positions were part of \
few steps, if any (the training loss rises where sequences become longer).

## Loss

Cross-entropy in nats per masked piece on held-out sentences, one a sequence; the unigram loss
is that of the training text's piece frequencies (a language's own in its row), and the unigram
entropy that of the held-out pieces themselves, which is lower where they are few.

{loss_table}

## Fill-mask

{filling_table}

## Text

{texts}

Repeated and very short sentences were dropped. {kept_out}
"""

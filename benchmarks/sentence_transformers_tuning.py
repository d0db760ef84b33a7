"""Tuning as a user of sentence-transformers would do it: its trainer, on pairs of views (Mirror) or
on damaged and whole sentences (TSDAE, instead of CMLM, which it has not).

The trainer is left as it comes, but for what the recipe says (batch, learning rate, weight decay,
no clipping of gradients) and for what costs time without being tuning (logs, checkpoints).
"""

import random
import tempfile
from collections.abc import Callable, Sequence
from typing import Any

import sentence_transformers as theirs
import torch
from datasets import Dataset
from sentence_transformers.base.modules.transformer import Transformer
from sentence_transformers.sentence_transformer.losses import (
    DenoisingAutoEncoderLoss,
    MultipleNegativesRankingLoss,
)
from sentence_transformers.sentence_transformer.modules import Pooling
from transformers import TrainerCallback

from benchmarks.plain_tuning import pair_views, set_dropout

# share of the words that TSDAE leaves out
DELETED = 0.6


def make_sentence_transformer(model: str, choices: Any) -> Any:
    """Return a SentenceTransformer on the CPU of a model folder, its dropout that of the recipe."""
    # By default it would take the precision of the stored weights; half precision is a hundred
    # times slower on CPUs without units for it.
    options = {"max_seq_length": choices.max_length, "model_kwargs": {"dtype": torch.float32}}
    transformer = Transformer(model, **options)
    pooling = Pooling(transformer.get_embedding_dimension(), pooling_mode=choices.pooling)
    encoder = theirs.SentenceTransformer(modules=[transformer, pooling], device="cpu")
    set_dropout(encoder, choices.dropout)
    return encoder


def delete_words(text: str, generator: random.Random) -> str:
    """Return the text without 60% of its words, as TSDAE damages it; at least one stays."""
    words = text.split()
    kept = [word for word in words if generator.random() > DELETED]
    return " ".join(kept or [generator.choice(words)])


def training_arguments(choices: Any, seed: int) -> Any:
    """Return the arguments of the trainer by a recipe, without logs and checkpoints."""
    return theirs.SentenceTransformerTrainingArguments(
        # it writes nothing
        output_dir=tempfile.gettempdir(),
        num_train_epochs=choices.epochs,
        per_device_train_batch_size=choices.batch_size,
        learning_rate=choices.learning_rate,
        weight_decay=choices.weight_decay,
        seed=seed,
        max_grad_norm=choices.max_gradient_norm or 0,
        **{"lr_scheduler_type": "constant", "dataloader_drop_last": True},
        **{"use_cpu": True, "bf16": False, "fp16": False, "disable_tqdm": True},
        **{"save_strategy": "no", "logging_strategy": "no", "report_to": "none"},
    )


def tune_with_trainer(
    encoder: Any, strings: Sequence[str], choices: Any, seed: int, now: Callable[[], Any]
) -> tuple[Any, Any]:
    """Tune the SentenceTransformer in place; return what `now` gives before and after the loop."""
    masking = random.Random(f"{seed} masking")
    if choices.method == "cmlm":
        first, second = [delete_words(text, masking) for text in strings], strings
        loss = DenoisingAutoEncoderLoss(encoder)
        # the decoder has the precision of the stored weights, and the encoder its weights
        set_dropout(loss.float(), choices.dropout)
    else:
        first, second = pair_views(strings, choices, encoder.tokenizer, masking)
        loss = MultipleNegativesRankingLoss(encoder, scale=1 / choices.temperature)
    times = []
    clock = TrainerCallback()
    clock.on_train_begin = clock.on_train_end = lambda *_, **__: times.append(now())
    trainer = theirs.SentenceTransformerTrainer(
        model=encoder,
        args=training_arguments(choices, seed),
        train_dataset=Dataset.from_dict({"anchor": first, "positive": second}),
        loss=loss,
        callbacks=[clock],
    )
    trainer.train()
    return times[0], times[1]

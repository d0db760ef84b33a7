"""Mirror tuning as a user of sentence-transformers would do it: its trainer on pairs of views.

The trainer is left as it comes, but for what the recipe says (batch, learning rate, weight decay,
no clipping of gradients) and for what costs time without being tuning (logs, checkpoints).
"""

import random
from collections.abc import Sequence
from typing import Any

import torch
from datasets import Dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.modules.transformer import Transformer
from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
from sentence_transformers.sentence_transformer.modules import Pooling
from transformers import TrainerCallback

from workflow_scripts.benchmarks.stopwatch import LoopTimes, Stopwatch
from workflow_scripts.tuning.recipes import MirrorChoices
from workflow_scripts.tuning.span_masking import make_views


class _LoopClock(TrainerCallback):
    """Times from the beginning to the end of training."""

    def on_train_begin(self, *arguments: Any, **options: Any) -> None:
        self.stopwatch = Stopwatch()

    def on_train_end(self, *arguments: Any, **options: Any) -> None:
        self.times = self.stopwatch.read()


def make_sentence_transformer(model: str, pooling: str, choices: MirrorChoices) -> Any:
    """Return a SentenceTransformer on the CPU of a model folder, its dropout that of the recipe."""
    # By default it would take the precision that the weights are stored in; the embedded models'
    # is half precision, which CPUs without units for it compute a hundred times slower.
    transformer = Transformer(
        model, max_seq_length=choices.max_length, model_kwargs={"dtype": torch.float32}
    )
    pooling_module = Pooling(transformer.get_embedding_dimension(), pooling_mode=pooling)
    encoder = SentenceTransformer(modules=[transformer, pooling_module], device="cpu")
    if choices.dropout is not None:
        for module in encoder.modules():
            if isinstance(module, torch.nn.Dropout):
                module.p = choices.dropout
    return encoder


def tune_with_trainer(
    encoder: Any, strings: Sequence[str], choices: MirrorChoices, seed: int, folder: str
) -> LoopTimes:
    """Tune the SentenceTransformer in place and return the times of the training loop.

    The pairs are made before the loop: second views with a masked span, as the recipe says.
    `folder` is where the trainer may write, though it is told to write nothing.
    """
    first, second = make_views(
        strings,
        choices.span_masking,
        encoder.tokenizer.mask_token or "",
        lambda text: encoder.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)[
            "offset_mapping"
        ],
        random.Random(f"{seed} masking"),
    )
    clock = _LoopClock()
    trainer = SentenceTransformerTrainer(
        model=encoder,
        args=SentenceTransformerTrainingArguments(
            output_dir=folder,
            num_train_epochs=choices.epochs,
            per_device_train_batch_size=choices.batch_size,
            learning_rate=choices.learning_rate,
            weight_decay=choices.weight_decay,
            lr_scheduler_type="constant",
            max_grad_norm=0,
            dataloader_drop_last=True,
            seed=seed,
            use_cpu=True,
            bf16=False,
            fp16=False,
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
        ),
        train_dataset=Dataset.from_dict({"anchor": first, "positive": second}),
        loss=MultipleNegativesRankingLoss(encoder, scale=1 / choices.temperature),
        callbacks=[clock],
    )
    trainer.train()
    return clock.times

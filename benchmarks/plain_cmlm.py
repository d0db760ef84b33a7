"""CMLM the plain way: slow, short, and independent of the project's own loop.

Both sentences are padded to the maximum length and go through the model in a pass each, the N
vectors are joined to the token embeddings by hand, and pieces are predicted at all positions.
"""

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import nn
from transformers import AutoModelForMaskedLM

from benchmarks.plain_tuning import PlainSummary, set_dropout
from workflow_scripts.embedding.encoder_folder import LoadedModel
from workflow_scripts.language_modelling.masking import choose_pieces, corrupt


class PlainCmlm(nn.Module):
    """A BERT under its head, and the learned views of its sentence vector, one after the other."""

    def __init__(self, folder: str, choices: Any) -> None:
        super().__init__()
        self.whole = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32)
        size = self.whole.config.hidden_size
        inner = round(size * choices.projection_width)
        self.views = nn.ModuleList(
            nn.Sequential(
                *(nn.Linear(size, inner), nn.ReLU()),
                *(nn.Linear(inner, inner), nn.ReLU()),
                nn.Linear(inner, size),
            )
            for _ in range(choices.projections - 1)
        )

    def encode(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return last hidden states [B, T, D] of embeddings [B, T, D]."""
        away = torch.finfo(states.dtype).min * (1 - mask[:, None, None].to(states.dtype))
        return self.whole.bert.encoder(states, attention_mask=away).last_hidden_state

    def forward(
        self,
        first: torch.Tensor,
        first_mask: torch.Tensor,
        second: torch.Tensor,
        second_mask: torch.Tensor,
        labels: torch.Tensor,
    ) -> torch.Tensor:
        """Return the loss of ids [B, T] of the sentences, the second masked."""
        states = self.encode(self.whole.bert.embeddings(first), first_mask)
        real = first_mask.unsqueeze(-1)
        vectors = (states * real).sum(dim=1) / real.sum(dim=1)
        views = torch.stack([vectors, *(view(vectors) for view in self.views)], dim=1)
        states = torch.cat([views, self.whole.bert.embeddings(second)], dim=1)
        mask = torch.cat([second_mask.new_ones(views.shape[:2]), second_mask], dim=1)
        logits = self.whole.cls(self.encode(states, mask)[:, views.shape[1] :])
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def tune_plainly(
    loaded: LoadedModel, pairs: Sequence[Sequence[str]], choices: Any, seed: int
) -> PlainSummary:
    """Train on pairs of neighbours, in float32 on the CPU; `loaded` gives folder and tokenizer."""
    torch.manual_seed(seed)
    shuffling, generator = random.Random(f"{seed} shuffling"), np.random.default_rng(seed)
    model, tokenizer = PlainCmlm(str(loaded.folder), choices), loaded.tokenizer
    set_dropout(model, choices.dropout)
    rates = {"lr": choices.learning_rate, "weight_decay": choices.weight_decay}
    optimizer = torch.optim.AdamW(model.parameters(), **rates)
    options = {"padding": "max_length", "truncation": True, "max_length": choices.max_length}
    ordinary = np.setdiff1d(np.arange(len(tokenizer)), tokenizer.all_special_ids)
    losses: list[float] = []
    size = choices.batch_size
    model.train()
    for _ in range(choices.epochs):
        order = list(range(len(pairs)))
        shuffling.shuffle(order)
        for start in range(0, len(order) - size + 1, size):
            batch = [pairs[index] for index in order[start : start + size]]
            batch = [pair if generator.random() < choices.swap else pair[::-1] for pair in batch]
            first, second = (
                tokenizer(list(side), **options, return_tensors="pt")
                for side in zip(*batch, strict=True)
            )
            ids = second["input_ids"].numpy()
            counts = np.round(choices.masked_share * second["attention_mask"].sum(dim=1).numpy())
            chosen = choose_pieces(np.isin(ids, tokenizer.all_special_ids), counts, generator)
            masked = corrupt(ids, chosen, tokenizer.mask_token_id, ordinary, generator)
            inputs, labels = map(torch.from_numpy, masked)
            masks = first["attention_mask"], second["attention_mask"]
            loss = model(first["input_ids"], masks[0], inputs, masks[1], labels)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), choices.max_gradient_norm)
            optimizer.step()
            losses.append(loss.item())
    return PlainSummary(len(losses), losses[0], losses[-1])

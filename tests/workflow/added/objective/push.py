"""What method push trains."""

import torch

from workflow_scripts.tuning import objective


class Objective(objective.Objective):
    def __init__(self, loaded, corpus, choices, context):
        self.trained, self.steps = loaded.model, choices.steps
        self._tokenizer, self._strings, self._scaler = (
            loaded.tokenizer,
            corpus.strings,
            context.scaler,
        )

    def batches(self):
        return [self._strings[8 * step :][:8] for step in range(self.steps)]

    def step(self, number, batch):
        tokens = self._tokenizer(batch, padding=True, return_tensors="pt")
        states = self.trained(**tokens).last_hidden_state
        vectors = torch.nn.functional.normalize(states.mean(dim=1), dim=-1)
        loss = (vectors @ vectors.T).mean()
        self._scaler.scale(loss).backward()
        measures = {"loss": loss.detach()}
        return objective.Step(measures, len(batch), tokens["input_ids"].numel())

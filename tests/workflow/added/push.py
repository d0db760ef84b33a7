"""Method push: the vectors of a batch are pushed apart. A second method, for a test."""

from pydantic import Field

from workflow_scripts.configuration.blocks import WholeNumber
from workflow_scripts.tuning.corpus_strings import Corpus, read_corpus
from workflow_scripts.tuning.recipe import TuningRecipe

CARD = "a tuning that pushes vectors apart"
CARD_TAG = "push"


class Choices(TuningRecipe):
    """Choices of method push."""

    steps: WholeNumber = Field(description="batches of eight strings")


def read(path: str, choices: Choices, recipe_name: str) -> Corpus:
    return read_corpus(path)


def objective(loaded, corpus, choices, context):
    import torch

    from workflow_scripts.tuning.objective import Objective, Step

    class Push(Objective):
        trained, steps = loaded.model, choices.steps

        def batches(self):
            return [corpus.strings[8 * step :][:8] for step in range(self.steps)]

        def step(self, number, batch):
            tokens = loaded.tokenizer(batch, padding=True, return_tensors="pt")
            states = self.trained(**tokens).last_hidden_state
            vectors = torch.nn.functional.normalize(states.mean(dim=1), dim=-1)
            loss = (vectors @ vectors.T).mean()
            context.scaler.scale(loss).backward()
            measures = {"loss": loss.detach()}
            return Step(measures, len(batch), tokens["input_ids"].numel())

    return Push()

"""Steps of plain gradient descent, which show the scale of gradients, unlike Adam: by this process,
or by all of them as a program whose first process writes the weights."""

import sys

import torch
from plain_training import objective_of
from safetensors.torch import save_file
from tiny_models import RECIPE, make_sentences

from workflow_scripts.tuning import loop, processes
from workflow_scripts.tuning.corpus_strings import Corpus
from workflow_scripts.tuning.objective import TrainingContext


def descend(folder, steps=3):
    """The weights by name after steps in float64, without clipping and with it."""
    weights = {}
    for max_norm in (None, 0.1):
        own, scaler = processes.Processes(), torch.amp.GradScaler("cpu", enabled=False)
        context = TrainingContext(33, torch.device("cpu"), torch.float32, scaler, own)
        corpus = Corpus(make_sentences(24))
        loaded, objective = objective_of(folder, corpus, RECIPE, means=context)
        optimiser = torch.optim.SGD(objective.trained.parameters(), lr=0.1)
        for number, batch in zip(range(1, steps + 1), objective.batches(), strict=False):
            objective.step(number, batch)
            loop._join((objective.trained, optimiser, scaler), max_norm, own)
            optimiser.step()
            optimiser.zero_grad()
        state = loaded.model.state_dict()
        weights |= {f"{max_norm} {name}": weight for name, weight in state.items()}
    return weights, own


if __name__ == "__main__":
    # small ones, so that there are several
    processes._BUCKET = 10_000
    found, all_processes = descend(sys.argv[1])
    assert all_processes.count == 2
    if all_processes.is_first:
        save_file(found, sys.argv[2])
    all_processes.wait()

"""Logistic regressions on fixed vectors as SentEval trains them (Conneau and Kiela 2018), together.

SentEval fits one classifier for each fold and penalty, one after the other. Fits on as many items
are here one batched matrix product: all see the same permutations, as there, where every fit begins
from the same seed. Which fit stops when, and which weights it keeps, is decided for each alone.
"""

from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch

from workflow_scripts.embedding.torch_setup import fresh_linear, torch_threads

# of every fit, of folds and of the share held out for stopping
SEED = 1111
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2)
_MOST_EPOCHS = 200
_HELD_OUT = 0.05
# Fits that are one batched product, so that their weights and moments stay in a core's cache.
_FITS = 12
_ADAM_BETAS, _RMSPROP_ALPHA, _EPSILON = (0.9, 0.999), 0.99, 1e-8


@dataclass(frozen=True)
class Protocol:
    """How SentEval is configured: `tenacity` misses, checked every `epoch_size` epochs, end a fit.

    The counter of misses never goes back to 0.
    """

    folds: int
    optimiser: Literal["adam", "rmsprop"]
    batch_size: int
    tenacity: int
    epoch_size: int


PROTOCOLS = {
    "default": Protocol(10, "adam", 64, 5, 4),
    "prototyping": Protocol(5, "rmsprop", 128, 3, 2),
    # the authors' of CMLM, "slower, best performance"
    "notebook": Protocol(10, "adam", 16, 5, 6),
}


@dataclass(frozen=True)
class Fit:
    """Rows to train on, and those that tell when to stop: without any, a share of the former."""

    train: np.ndarray
    watched: np.ndarray | None = None


def fit_probes(
    features: torch.Tensor,
    labels: np.ndarray,
    fits: Sequence[Fit],
    penalties: np.ndarray,
    protocol: Protocol,
) -> tuple[torch.Tensor, np.ndarray]:
    """Return the weights [F, R, C, D + 1], bias last, and the best accuracies on the watched rows.

    `features` are [N, D], `labels` whole numbers below C by row, `penalties` [F, R] the R penalties
    of each fit (decay that goes through the optimiser).
    """
    classes = int(labels.max()) + 1
    width = features.shape[1] + 1
    extended = torch.cat([features.float(), torch.ones(len(features), 1)], dim=1)
    weights = torch.empty(len(fits), penalties.shape[1], classes, width)
    best = np.empty(penalties.shape)
    groups: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for number, fit in enumerate(fits):
        groups[len(fit.train), fit.watched is None].append(number)
    for (size, held_out), numbers in groups.items():
        generator = np.random.RandomState(SEED)
        train = np.stack([fits[number].train for number in numbers])
        # None for all fits of a group, or for none of them
        watched: list[Any] = [fits[number].watched for number in numbers]
        if held_out:
            order, cut = generator.permutation(size), int(_HELD_OUT * size)
            watched, train = list(train[:, order[:cut]]), train[:, order[cut:]]
        state = generator.get_state()
        parts = [slice(first, first + _FITS) for first in range(0, len(numbers), _FITS)]
        rows = [(train[part], watched[part], penalties[numbers[part]]) for part in parts]
        together = [_Group(extended, labels, *own, protocol, classes) for own in rows]
        for part, fitted in zip(parts, _run_each(together, state), strict=True):
            weights[numbers[part]], best[numbers[part]] = fitted
    return weights, best


def _run_each(groups: "Sequence[_Group]", state: Any) -> list[tuple[torch.Tensor, np.ndarray]]:
    """Run groups of fits that see the same permutations, from the same state of the generator.

    Each thread has groups of its own: sharing matrix products, they would wait for each other.
    """

    def run(group: _Group) -> tuple[torch.Tensor, np.ndarray]:
        generator = np.random.RandomState()
        generator.set_state(state)
        return group.run(generator)

    threads = torch.get_num_threads()
    with torch_threads(1), ThreadPoolExecutor(threads, "fit", torch.set_num_threads, (1,)) as pool:
        return list(pool.map(run, groups))


def predict(features: torch.Tensor, weights: torch.Tensor) -> np.ndarray:
    """Return the classes of `features` [N, D] by weights [C, D + 1]."""
    return (features.float() @ weights[:, :-1].T + weights[:, -1]).argmax(dim=1).numpy()


class _Group:
    """Fits that train on as many rows; those that have come to their end are left behind."""

    def __init__(
        self,
        features: torch.Tensor,
        labels: np.ndarray,
        train: np.ndarray,
        watched: Sequence[np.ndarray],
        penalties: np.ndarray,
        protocol: Protocol,
        classes: int,
    ) -> None:
        self._features, self._labels = features, torch.from_numpy(labels).long()
        self._train = torch.from_numpy(train)
        self._watched = [torch.from_numpy(rows) for rows in watched]
        self._protocol, self._classes = protocol, classes
        count, rows = penalties.shape
        self._shape = (count, rows, classes, features.shape[1])
        # penalties by row of the weights, which hold the classes of one fit one after the other
        decay = torch.from_numpy(penalties).float().repeat_interleave(classes, dim=1)
        self._decay = decay[:, :, None]
        first = fresh_linear(features.shape[1] - 1, classes, SEED)
        start = torch.cat([first.weight.detach(), first.bias.detach()[:, None]], dim=1)
        self._weights = start.repeat(count, rows, 1)
        self._state = [torch.zeros_like(self._weights) for _ in range(2)]
        self._steps = 0

    def run(self, generator: np.random.RandomState) -> tuple[torch.Tensor, np.ndarray]:
        """Return the best weights [F, R, C, D + 1] and their accuracies [F, R]."""
        protocol, (count, rows, *_) = self._protocol, self._shape
        kept = torch.empty(self._shape)
        best, misses = np.full((count, rows), -1.0), np.zeros((count, rows), dtype=int)
        going = np.ones((count, rows), dtype=bool)
        active, epochs = np.arange(count), 0
        while going.any() and epochs <= _MOST_EPOCHS:
            for _ in range(protocol.epoch_size):
                self._train_epoch(generator.permutation(self._train.shape[1]))
            epochs += protocol.epoch_size
            for position, number in enumerate(active.tolist()):
                accuracies = self._accuracies(position, number)
                better = going[number] & (accuracies > best[number])
                own = self._weights[position].view(self._shape[1:])
                kept[number, better] = own[torch.from_numpy(better)]
                best[number, better] = accuracies[better]
                missed = going[number] & ~better
                going[number] &= ~(missed & (misses[number] >= protocol.tenacity))
                misses[number] += missed
            if not (stay := going[active].any(axis=1)).all():
                active = active[stay]
                self._leave_behind(torch.from_numpy(np.flatnonzero(stay)))
        return kept, best

    def _leave_behind(self, stay: torch.Tensor) -> None:
        self._train, self._decay = self._train[stay], self._decay[stay]
        self._weights = self._weights[stay]
        self._state = [moment[stay] for moment in self._state]

    def _train_epoch(self, order: np.ndarray) -> None:
        size, train = self._protocol.batch_size, self._train[:, torch.from_numpy(order)]
        for first in range(0, train.shape[1], size):
            rows = train[:, first : first + size]
            fits, number = rows.shape
            batch = self._features.index_select(0, rows.flatten()).view(fits, number, -1)
            logits = torch.bmm(batch, self._weights.transpose(1, 2))
            shares = logits.view(fits, number, -1, self._classes).softmax(dim=3)
            truth = self._labels[rows][:, :, None, None].expand(-1, -1, shares.shape[2], 1)
            shares.scatter_add_(3, truth, shares.new_full((), -1.0).expand(truth.shape))
            errors = shares.view(fits, number, -1).transpose(1, 2)
            gradient = torch.bmm(errors, batch).div_(number)
            self._take_step(gradient.addcmul_(self._decay, self._weights))

    def _take_step(self, gradient: torch.Tensor) -> None:
        """Take a step of torch's Adam at 1e-3 or RMSprop at 1e-2."""
        self._steps += 1
        mean, square = self._state
        if self._protocol.optimiser == "rmsprop":
            square.mul_(_RMSPROP_ALPHA).addcmul_(gradient, gradient, value=1 - _RMSPROP_ALPHA)
            self._weights.addcdiv_(gradient, square.sqrt().add_(_EPSILON), value=-1e-2)
            return
        first_beta, second_beta = _ADAM_BETAS
        mean.lerp_(gradient, 1 - first_beta)
        square.mul_(second_beta).addcmul_(gradient, gradient, value=1 - second_beta)
        first, second = 1 - first_beta**self._steps, 1 - second_beta**self._steps
        scale = square.sqrt().div_(second**0.5).add_(_EPSILON)
        self._weights.addcdiv_(mean, scale, value=-1e-3 / first)

    def _accuracies(self, position: int, number: int) -> np.ndarray:
        rows = self._watched[number]
        logits = self._features[rows] @ self._weights[position].T
        predicted = logits.view(len(rows), -1, self._classes).argmax(dim=2)
        right = predicted == self._labels[rows][:, None]
        return right.double().mean(dim=0).numpy()

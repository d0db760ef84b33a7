"""How much is taken of texts of unequal size, and whole documents drawn at random."""

import random
from collections.abc import Iterable, Mapping
from heapq import heappop, heappush


def shares_of(sizes: Mapping[str, int], exponent: float) -> dict[str, float]:
    """Return shares in proportion to size ** `exponent` (0.7 in multilingual BERT and XLM)."""
    powers = {language: size**exponent for language, size in sorted(sizes.items()) if size}
    total = sum(powers.values())
    return {language: power / total for language, power in powers.items()}


def quotas_of(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """Split `total` whole items by `shares`, largest remainders first; quotas sum to `total`."""
    exact = {language: share * total for language, share in shares.items()}
    quotas = {language: int(amount) for language, amount in exact.items()}
    by_remainder = sorted(exact, key=lambda key: (quotas[key] - exact[key], key))
    for language in by_remainder[: total - sum(quotas.values())]:
        quotas[language] += 1
    return quotas


def draw_documents(documents: Iterable[list[str]], size: int, seed: int) -> list[list[str]]:
    """Return whole documents, drawn until they hold `size` strings or there are no more, in order.

    Each gets a number at random and the lowest are taken, so that no more is held than is drawn.
    """
    generator = random.Random(seed)
    # the highest number first
    drawn: list[tuple[float, int, list[str]]] = []
    total = 0
    for position, document in enumerate(documents):
        heappush(drawn, (-generator.random(), position, document))
        total += len(document)
        while drawn and total - len(drawn[0][2]) >= size:
            total -= len(heappop(drawn)[2])
    return [document for _, _, document in sorted(drawn, key=lambda entry: entry[1])]

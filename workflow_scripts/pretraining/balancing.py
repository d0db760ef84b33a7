"""Shares of languages in multilingual text, smoothed so that small languages are not drowned."""

from collections.abc import Mapping


def language_shares(sizes: Mapping[str, int], exponent: float) -> dict[str, float]:
    """Return each language's share, proportional to its size ** `exponent`; shares sum to 1.

    Exponent 1 keeps the sizes, 0 makes all languages equal (the smoothing of multilingual BERT and
    XLM, which used 0.7).
    """
    powers = {language: size**exponent for language, size in sorted(sizes.items()) if size}
    total = sum(powers.values())
    return {language: power / total for language, power in powers.items()}


def language_quotas(shares: Mapping[str, float], total: int) -> dict[str, int]:
    """Split `total` whole items by `shares`, largest remainders first; quotas sum to `total`."""
    exact = {language: share * total for language, share in shares.items()}
    quotas = {language: int(amount) for language, amount in exact.items()}
    by_remainder = sorted(
        exact, key=lambda language: (quotas[language] - exact[language], language)
    )
    for language in by_remainder[: total - sum(quotas.values())]:
        quotas[language] += 1
    return quotas

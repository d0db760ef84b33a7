"""Numbers as tables show them: rounded, without the zero before the point, as the paper prints."""

import re
from decimal import Decimal

DIGITS = 3  # of most scores of the paper


def rounded(value: float | Decimal, digits: int = DIGITS) -> Decimal:
    """Return a value to the digits that a column shows; never a negative zero."""
    number = Decimal(f"{value:.{digits}f}")
    return abs(number) if number.is_zero() else number


def _without_zero(text: str) -> str:
    return re.sub(r"^(-?)0\.", r"\1.", text)


def format_number(value: float | Decimal, digits: int = DIGITS) -> str:
    """Return a value as the paper prints it: .556, -.023, 1.000; 13.79 with two digits."""
    return _without_zero(str(rounded(value, digits)))


def format_published(value: Decimal) -> str:
    """Return a published value with the digits that were printed."""
    return _without_zero(str(value))


def format_difference(value: float | Decimal, digits: int = DIGITS) -> str:
    """Return a difference with its sign: +.012, -.023; .000 has none."""
    return ("+" if rounded(value, digits) > 0 else "") + format_number(value, digits)


def format_tolerance(value: Decimal) -> str:
    """Return a tolerance with the digits that it needs: .01, 1."""
    return _without_zero(f"{value.normalize():f}")


def format_interval(interval: tuple[float, float], digits: int = DIGITS) -> str:
    """Return an interval in brackets: [.512, .601]."""
    return f"[{', '.join(format_number(end, digits) for end in interval)}]"


def format_p(value: float) -> str:
    """Return a p value as it stands after `p`: < .001, = .023."""
    return "< .001" if value < 0.001 else f"= {format_number(value)}"


def format_millions(count: int) -> str:
    """Return a whole number in millions, in three digits: 109M, 4.42M, 7240M."""
    return f"{three_digits(count / 1e6)}M"


def format_thousands(count: int) -> str:
    """Return a whole number in thousands, in three digits, without a unit: 30.5, 250, 0.5."""
    return three_digits(count / 1e3)


def three_digits(value: float) -> str:
    """Return a number in three digits: 30.5, 250, 0.5."""
    # as a number once more: .3g writes 999.999 as 1e+03
    return f"{float(f'{value:.3g}'):g}"


# properties of models that are numbers, and how columns show them
OF_MODELS = {"parameters": format_millions, "vocabulary": format_thousands}

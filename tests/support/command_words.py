"""The words of a command line."""


def as_argv(options: dict[str, object]) -> list[str]:
    """Return each option and its value, as `main` of a step takes them."""
    return [str(part) for pair in options.items() for part in pair]

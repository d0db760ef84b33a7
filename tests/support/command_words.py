"""The words of a command line."""


def as_argv(options: dict[str, object]) -> list[str]:
    """Return each option and its value, or each of its list, as `main` of a step takes them."""
    words = []
    for option, value in options.items():
        words += [option, *map(str, value if isinstance(value, list) else [value])]
    return words

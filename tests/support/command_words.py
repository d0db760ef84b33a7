"""The words of a command line."""

from collections.abc import Mapping


def as_argv(options: Mapping[str, object], *flags: str) -> list[str]:
    """Return each option and its value, or each of its list, as `main` of a command takes them.

    An option is a word such as --max-length, or its name in Python. One with the value None is left
    out.
    """
    words: list[str] = []
    for key, value in options.items():
        if value is not None:
            option = key if key.startswith("--") else f"--{key.replace('_', '-')}"
            words += [option, *map(str, value if isinstance(value, list) else [value])]
    return [*words, *flags]

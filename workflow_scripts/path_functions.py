"""What makes a path function a command, and how it marks an option.

A path function is typed, takes paths and plain values, calls an object function with what they hold
and writes what that returns. `main = command(function)` gives its module a command line, which
`command_line` makes of the signature and the docstring:

- a keyword is an option, `max_length` is `--max-length`; a positional-only parameter is a word
- a default is that of the option; without one the option is needed
- `int`, `float`, `Path`, `str`, `Literal[...]` are what a value has to be; `bool` is a flag
- `Sequence[T]` takes several values, at least one unless its default is () or it MAY_BE_BARE
- `dict` is JSON
- a dataclass is a group of options, its fields, that several commands share
- "Args:" of the docstring, or of the dataclass's, says what each of them is
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

# in Annotated: the option may stand without a value, which is then as if it were left out; one of
# several values has none then
MAY_BE_BARE = "may be bare"


class Command(Protocol):
    """The `main` of a module: it takes the words of a command line, or those of this process."""

    def __call__(self, argv: Sequence[str] | None = None) -> None: ...


def command(function: Callable[..., None], example: str = "") -> Command:
    """Return the `main` of the module of a path function.

    It takes the words of a command line, by default those of this process. COMMAND in `example`,
    which ends the help, becomes what the user types.
    """

    def main(argv: Sequence[str] | None = None) -> None:
        # by name, to keep it out of the sources of each step: it has no effect on numbers
        adapter: Any = importlib.import_module("workflow_scripts.command_line")
        adapter.run(function, argv, example)

    main.path_function = function  # type: ignore[attr-defined]
    return main


def command_of_modes(modes: Mapping[str, Callable[..., None]], about: str, example: str) -> Command:
    """Return the `main` of a module of several path functions, by the word that leads to each.

    `about` begins the help of the whole, which `example` ends, as that of `command`.
    """

    def main(argv: Sequence[str] | None = None) -> None:
        adapter: Any = importlib.import_module("workflow_scripts.command_line")
        adapter.run_mode(modes, about, argv, example)

    main.modes, main.about = modes, about  # type: ignore[attr-defined]
    return main

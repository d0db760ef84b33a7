"""Programs that stand in for those of a cluster: they note their words and print a text."""

from pathlib import Path


def synthetic(folder: Path, name: str, text: str = "", status: int = 0) -> None:
    """Put a program into a folder of the PATH; with a status it prints the text as an error."""
    (folder / f"{name}.txt").write_text(text)
    stream = " >&2" if status else ""
    program = folder / name
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" > {folder}/{name}.words\n'
        f"cat {folder}/{name}.txt{stream}\nexit {status}\n"
    )
    program.chmod(0o755)

"""Content of what jobs made: a run names files that were cut, changed or restored before it plans.

Snakemake sees at most that such a file is newer, and would run the jobs that read it on the damaged
content.
"""

import json
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.files import append_to

# a line for each file that a job made; the last one counts
NOTES = "made.jsonl"
# the tokenizer and configs next to it belong to the encoder too; its card may be rewritten
_ENCODER, _CARD = "encoder.json", "README.md"
# goes with the encoder's weights where these are not kept (temporary_weights)
WEIGHTS, OWN_WEIGHTS = "model.safetensors", "training_modules.safetensors"


class OutputIntegrity:
    """Notes of what jobs made: path in the results folder, SHA-256, and the output it belongs to.

    The last is for a file that no rule declares: its folder, or the record of its encoder.
    """

    def __init__(self, results: str, records: Path, hashes: ContentHashes) -> None:
        self._results = results
        self._notes = records / NOTES
        self._hashes = hashes

    def note(self, outputs: Iterable[str]) -> None:
        """Note what a job made, when it has ended."""
        # those of a workflow that imports this one are its own
        outputs = [output for output in map(str, outputs) if self._is_result(output)]
        notes = [note for output in outputs for note in self._of(output, outputs)]
        lines = [json.dumps(note, ensure_ascii=False) for note in notes]
        with append_to(self._notes) as stream:
            # a line before that was cut stays by itself
            stream.write("\n" + "".join(f"{line}\n" for line in lines))

    def _of(self, output: str, outputs: list[str]) -> Iterator[list[str | None]]:
        path = Path(output)
        if path.is_file():
            yield [self._relative(path), self._hashes.of(path), ""]
        if path.name == _ENCODER or path.is_dir():
            folder = path if path.is_dir() else path.parent
            for file in folder.rglob("*"):
                whole = file.is_file() and file.name != _CARD and not file.name.startswith(".")
                if whole and str(file) not in outputs:
                    yield [self._relative(file), self._hashes.of(file), self._relative(path)]

    def _is_result(self, output: str) -> bool:
        return not self._relative(Path(output)).startswith(os.pardir + os.sep)

    def _relative(self, path: Path) -> str:
        return os.path.relpath(path, self._results)

    def changed(self, incomplete: Iterable[str]) -> list[str]:
        """Return files that changed since jobs made them, and encoders with such a file.

        Files of `incomplete` jobs are skipped: they are made again, and may be newer than their
        notes.
        """
        notes: dict[str, tuple[str, str]] = {}
        for line in self._lines():
            try:
                path, sha256, owner = json.loads(line)
                if not owner and os.path.basename(path) == _ENCODER:
                    # made again, perhaps with other files
                    notes = {other: note for other, note in notes.items() if note[1] != path}
                notes[path] = sha256, owner
            except (ValueError, TypeError):
                # a line cut short: earlier notes on what it was about no longer hold
                begin = line.partition('", ')[0].removeprefix('["')
                notes = {path: note for path, note in notes.items() if not path.startswith(begin)}
        anew = set(incomplete)
        changed = [
            self._shown(owner) if owner else path
            for path, (sha256, owner) in notes.items()
            if not {path, owner} & anew and self._is_other(path, sha256, owner)
        ]
        return [os.path.join(self._results, path) for path in dict.fromkeys(changed)]

    def _lines(self) -> list[str]:
        with suppress(OSError):
            text = self._notes.read_text(encoding="utf-8", errors="replace")
            return [line for line in text.split("\n") if line]
        return []

    def _shown(self, owner: str) -> str:
        return os.path.dirname(owner) if os.path.basename(owner) == _ENCODER else owner

    def _is_other(self, path: str, sha256: str, owner: str) -> bool:
        file = Path(self._results, path)
        now = self._hashes.of(file)
        if file.name == OWN_WEIGHTS and not file.with_name(WEIGHTS).exists():
            return False
        # Snakemake remakes missing files that a rule declares
        return now != sha256 if now else os.path.exists(os.path.join(self._results, owner or path))


def refuse_changed_files(made: OutputIntegrity, incomplete: Iterable[str]) -> None:
    """End a run before it plans if files changed since jobs made them."""
    if changed := made.changed(incomplete):
        more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
        remedy = "remove the changed files, so that they are made again"
        sys.exit(f"error: {changed[0]}{more}: changed since a job made it; {remedy}")

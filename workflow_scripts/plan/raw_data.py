"""Raw files of data sets and corpora: which are there, and which a download brings."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

from workflow_scripts.configuration.layers import CONFIG
from workflow_scripts.downloads.registry import DataSet, read_registry, sets_with
from workflow_scripts.errors import damaged_file_error
from workflow_scripts.files import read_json

REGISTRY = CONFIG / "registry.yaml"


class RawData:
    """The files below the data root.

    With `fetch`, files that the registry of downloads knows count as there: steps that read them
    depend on the record of their download instead of the files, before and after it.
    """

    def __init__(self, root: Path, fetch: bool, results: str = "results") -> None:
        self.root = root
        self._results = results
        self._fetch = fetch
        self._is_file = cache(Path.is_file)

    def missing(self, files: Iterable[Path]) -> list[Path]:
        """Return the files that are neither there nor brought by a download."""
        return [
            file for file in files if self.download_of(file) is None and not self._is_file(file)
        ]

    def inputs(self, files: Iterable[Path]) -> list[str]:
        """Return what a step that reads the files depends on, sorted."""
        inputs = set()
        for file in files:
            download = self.download_of(file)
            inputs.add(str(file) if download is None else self.record_of(download))
        return sorted(inputs)

    def downloads_of(self, files: Iterable[Path]) -> list[str]:
        """Return the names of the registry's open entries that hold files, sorted."""
        return sorted({name for file in files if (name := self.download_of(file)) is not None})

    def record_of(self, download: str) -> str:
        """Return the record that a download leaves."""
        return f"{self._results}/downloads/{download}.json"

    def fetched(self, download: str) -> dict[Path, str]:
        """Return the SHA-256 of each file that the record of a download has; none without it.

        It is that of the file as it is stored, gzipped or not.
        """
        record = Path(self.record_of(download))
        if not record.is_file():
            return {}
        with damaged_file_error(str(record)):
            files = read_json(record)["files"]
            stored = [file.get("stored_sha256", file["sha256"]) for file in files]
            return {
                self.root / file["path"]: sha256 for file, sha256 in zip(files, stored, strict=True)
            }

    def download_of(self, file: Path) -> str | None:
        """Return the name of the registry's open entry with a file (or files below a folder)."""
        if not self._fetch or not file.is_relative_to(self.root):
            return None
        return _download_of(str(file.relative_to(self.root)))


def gated_sets(root: Path, files: Iterable[Path]) -> list[str]:
    """Return the names of the registry's gated entries that hold files, sorted."""
    names = {
        name
        for file in files
        if file.is_relative_to(root)
        for name in sets_with(registry(), [file.relative_to(root)])
        if registry()[name].gated
    }
    return sorted(names)


@cache
def registry() -> dict[str, DataSet]:
    return read_registry(REGISTRY)


@cache
def _download_of(path: str) -> str | None:
    known = registry()
    return next((name for name in sets_with(known, [path]) if not known[name].gated), None)

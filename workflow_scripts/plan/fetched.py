"""Models and data that a run fetches, or fetched before: what is missing is known before any job.

Files that were fetched are compared by content with their record, each read once
(`content_hashes`); in a mirror they are compared by name and size.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from workflow_scripts.canonical import canonical
from workflow_scripts.configuration.config import Downloads as Block
from workflow_scripts.content_hashes import ContentHashes
from workflow_scripts.downloads import model_folders as folders
from workflow_scripts.downloads.fetching import files_without_source
from workflow_scripts.downloads.mirrors import Mirror, check_offline, open_mirror, shown
from workflow_scripts.downloads.model_files import hub_offline_variable
from workflow_scripts.errors import ConfigError, UserError, damaged_file_error, one_line
from workflow_scripts.files import read_json
from workflow_scripts.plan.models import Models
from workflow_scripts.plan.raw_data import RawData, registry


class MissingError(UserError):
    """Things that are missing: its text is a line that says what to do, and one for each thing."""

    def __init__(self, problem: str, remedy: str | None, things: list[str]) -> None:
        super().__init__(None, problem, remedy)
        self.things = things

    def __str__(self) -> str:
        return "\n  ".join([f"{super().__str__()}:", *map(one_line, self.things)])


class Downloads:
    """The block `downloads` of a config: where fetched things are, and whether more may come."""

    def __init__(self, block: Block, root: Path, raw: RawData, hashes: ContentHashes) -> None:
        self.models = Path(block.models)
        self.offline = block.offline
        self._location = block.mirror
        if (
            block.mirror is not None
            and "://" in block.mirror
            and shown(block.mirror) != block.mirror
        ):
            raise ConfigError(
                "config",
                "downloads.mirror",
                "holds a user, password or query, which Snakemake would write into its logs",
                "put user and password into ~/.netrc, or fetch with `python -m "
                "workflow_scripts.downloads.fetch_dataset`",
            )
        self._raw = raw
        self._root = root
        self._hashes = hashes

    @property
    def options(self) -> list[str]:
        """The options of the commands that fetch: --mirror and --offline."""
        mirror = ["--mirror", self._location] if self._location else []
        return [*mirror, *(["--offline"] if self.offline else [])]

    def entry(self, download: str) -> str:
        """Return what the registry has of a data set; "" for a data set that it does not know."""
        data_set = registry().get(download)
        return "" if data_set is None else canonical(data_set.model_dump(mode="json"))

    def require(self, models: Models, needed_models: Iterable[str], downloads: list[str]) -> None:
        """Raise `UserError` that names all that no job of the run could get.

        `needed_models` are ids of models, those that are not of the hub are passed over;
        `downloads` are entries of the registry. It names files that are gone or changed since they
        were fetched, and where nothing may be fetched what is neither there nor in a mirror folder.
        """
        of_hub = sorted(models.hub.keys() & set(needed_models))
        # one id for each folder
        hub = list({models.record(model): model for model in of_hub}.values())
        changed = [line for model in hub for line in self._changed_model(models, model)]
        changed += [line for download in downloads for line in self._changed_files(download)]
        absent = [line for model in hub for line in self._absent_model(models, model)]
        absent += [line for download in downloads for line in self._absent_files(download)]
        if absent:
            variable = hub_offline_variable()
            why = "`downloads.offline` is true" if self.offline else f"{variable} is set"
            unset = f" (with {variable}=0)" if variable is not None else ""
            raise MissingError(
                f"{why}, and this is missing",
                f"run `snakemake fetch_all` on a machine with internet access{unset}, then carry "
                f"{self._folder_names()} over",
                [*absent, *changed],
            )
        if changed:
            raise MissingError("changed since it was fetched", None, changed)

    def _folder_names(self) -> str:
        inside = self.models.is_relative_to(self._root)
        return str(self._root) if inside else f"{self._root} and {self.models}"

    def _mirror(self) -> Mirror | None:
        """Return the mirror; only called where something is missing, since it may be away."""
        mirror = open_mirror(self._location, "config: `downloads.mirror`")
        check_offline(mirror, self.offline, ("config: `downloads.offline`", "`downloads.mirror`"))
        return mirror

    def _changed_model(self, models: Models, model: str) -> Iterator[str]:
        """Yield what is wrong with a model that has a folder, or had one."""
        hub_model = models.hub[model]
        folder, record = Path(models.location(model)), models.record(model)
        if folder.exists():
            problems = list(folders.problems_of_folder(folder, hub_model, True, self._hashes.of))
            for problem in problems:
                yield f"{problem}: delete {folder} and {record} to fetch it again"
            if problems or not _was_fetched(record, hub_model):
                return
            if _recorded(record) != _recorded(folder / folders.FILE_LIST):
                again = f"delete {record}, so that it is made again"
                yield f"{folder}: holds other files than were fetched: {again}"
        elif _was_fetched(record, hub_model):
            yield f"{folder}: no such folder: delete {record} to fetch it again"

    def _changed_files(self, download: str) -> Iterator[str]:
        record = self._raw.record_of(download)
        for path, sha256 in self._raw.fetched(download).items():
            now = self._hashes.of(path)
            if now is None:
                yield f"{path}: no such file: delete {record} to fetch it again"
            elif now != sha256:
                again = f"delete it and {record} to fetch it again"
                yield f"{path}: sha256 is {now}, {sha256} when it was fetched: {again}"

    def _absent_files(self, download: str) -> Iterator[str]:
        """Yield the files of a data set that are not there and cannot be fetched."""
        if not self.offline or Path(self._raw.record_of(download)).is_file():
            return
        data_set = registry()[download]
        if files_without_source(data_set, self._root, None, True):
            for path in files_without_source(data_set, self._root, self._mirror(), True):
                yield f"{path}: no such file, of data set {download}"

    def _absent_model(self, models: Models, model: str) -> Iterator[str]:
        """Yield the folder of a model that is not there and cannot be fetched."""
        hub_model, folder = models.hub[model], Path(models.location(model))
        if folder.exists() or _was_fetched(models.record(model), hub_model):
            return
        if not self.offline and hub_offline_variable() is None:
            return
        if (mirror := self._mirror()) is not None:
            # what an address holds is known when a job fetches from it
            if mirror.folder is None:
                return
            copy = mirror.folder / folders.MODELS / hub_model.folder_name
            if (copy / folders.FILE_LIST).is_file():
                problems = folders.problems_of_folder(copy, hub_model, with_hashes=False)
                yield from (f"{problem}, and {folder} is not there" for problem in problems)
                return
        yield f"{folder}: no such folder, of model {model}"


def _recorded(path: str | Path) -> dict[str, str]:
    """Return the SHA-256 of each file that a record, or the list in a folder, has of a model."""
    with damaged_file_error(str(path)):
        return {file["name"]: file["sha256"] for file in read_json(path)["files"]}


def _was_fetched(record: str, hub_model: folders.HubModel) -> bool:
    """Return whether a record is of this commit: a model of another commit is fetched again."""
    if not Path(record).is_file():
        return False
    with damaged_file_error(record):
        content = read_json(record)
        return hub_model == folders.HubModel(content["repository"], content["revision"])

"""What results were made from: Snakemake's records, kept in the results folder and by content.

Snakemake keeps them in `.snakemake`, trusts an output without a record, and compares the content of
inputs only if they are newer than an output. Here the records go with the results, no matter who
made them; an output without a record is made again; and the SHA-256 of every input file is compared
with that of the bytes that the job read, whatever the dates.
"""

import os
import re
import time
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

from snakemake.persistence import RECORD_FORMAT_VERSION, MetadataRecord
from snakemake.persistence.file import FilePersistence

from workflow_scripts.content_hashes import ContentHashes, State, state_of
from workflow_scripts.project_files import PROJECT, within_project
from workflow_scripts.runtime.batch_systems import RECORDS_SETTING
from workflow_scripts.runtime.output_integrity import OutputIntegrity, refuse_changed_files
from workflow_scripts.runtime.run_start import refuse_targets_elsewhere
from workflow_scripts.runtime.snakemake_run import SnakemakeRun

_INCOMPLETE = "incomplete"


def use_results_records(
    run: SnakemakeRun, results: str, records: Path, hashes: ContentHashes
) -> None:
    """Have a run keep its records in the folder `records` of the results folder.

    To be called while the Snakefile is read: Snakemake opens its records after that. The run ends
    if results are not as jobs left them.
    """
    # there by now, and in a circle of imports before Snakemake has begun
    from snakemake import workflow as engine

    # for the processes of the run: job.sh and batch_systems
    os.environ[RECORDS_SETTING] = str(records.absolute())
    made = OutputIntegrity(results, records, hashes)
    if run.is_head:
        refuse_changed_files(made, incomplete_outputs(records))

    def open_records(*more: Any, **named: Any) -> ResultsRecords:
        # the first of what a run does after the Snakefile, before it looks for rules
        refuse_targets_elsewhere(run, results)
        return ResultsRecords(
            *more, run=run, results=results, records=records, hashes=hashes, made=made, **named
        )

    engine.FilePersistence = open_records


def incomplete_outputs(records: Path) -> Iterator[str]:
    """Yield the outputs of jobs that have begun and not ended, by path in the results folder."""
    folder = records / _INCOMPLETE
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_file():
            # as Snakemake writes them: in folders "@..." where a name is too long
            parts = [part.removeprefix("@") for part in path.relative_to(folder).parts]
            yield urlsafe_b64decode("".join(parts)).decode()


def _path_below(folder: str, path: str) -> str | None:
    path = os.path.abspath(path)
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else None


class ResultsRecords(FilePersistence):
    """Snakemake's records of outputs, by their path in the results folder.

    So clones that spell the folder otherwise have one record of an output.
    """

    def __init__(
        self,
        *more: Any,
        run: SnakemakeRun,
        results: str,
        records: Path,
        hashes: ContentHashes,
        made: OutputIntegrity,
        **named: Any,
    ) -> None:
        super().__init__(*more, **named)
        self._is_head = run.is_head
        self._made = made
        self._hashes = hashes
        self._below_results = cache(partial(_path_below, os.path.abspath(results)))
        self._records_cache: dict[str, MetadataRecord | None] = {}
        self._hashes_now: dict[str, str | None] = {}
        self._inputs: dict[Any, tuple[list[str], dict[str, str]]] = {}
        # of the jobs that end: what goes into the record of each output
        self._checksums: dict[str, dict[str, str]] = {}
        self._metadata_path = str(records / "metadata")
        self._incomplete_path = str(records / _INCOMPLETE)
        # asked of a folder that is there: a dry run makes none
        folders = (records, *records.absolute().parents)
        existing = next(folder for folder in folders if folder.exists())
        self._max_len = os.pathconf(existing, "PC_NAME_MAX")
        # `results` where it begins a path, or is one, in what Snakemake writes of a parameter
        self._own_paths = re.compile(rf"(?<=['\"]){re.escape(results)}(?=[/'\"])")
        # and the project's folder, in a run in another one
        self._project = re.compile(rf"(?<=['\"]){re.escape(str(PROJECT))}/")
        # hashed here instead
        self.max_checksum_file_size = -1
        # of the inputs of each job before it is started or submitted
        self._states: dict[str, dict[str, State | None]] = {}
        if not run.is_dry:
            run.watch(self._hear)

    # ---- names that do not depend on the clone ---------------------------------------------------

    def _get_key(self, f: Any) -> str:
        return self._key_of(super()._get_key(f))

    def _key_of(self, path: str) -> str:
        return self._below_results(path) or os.path.abspath(path)

    def _input_name(self, path: str) -> str:
        below = self._below_results(path)
        return within_project(path) if below is None else f"<results>/{below}"

    def _input(self, job: Any) -> list[str]:
        return sorted(map(self._input_name, super()._input(job)))

    def _params(self, job: Any) -> list[Any]:
        if job.is_template_engine:
            # they are written into a file, which has the paths as this clone spells them
            return super()._params(job)
        params = (self._project.sub("", param) for param in super()._params(job))
        return sorted(self._own_paths.sub("<results>", param) for param in params)

    # ---- whether a job is to run -----------------------------------------------------------------

    def has_metadata(self, job: Any) -> bool:
        """Say so of every job: Snakemake would run none for want of a record; `_input_changed`."""
        return True

    def has_outdated_metadata(self, job: Any) -> bool:
        return False

    def _input_changed(self, job: Any, file: Any = None) -> bool:
        record = self.metadata(file)
        if record is None or record.record_format_version < RECORD_FORMAT_VERSION:
            return True
        recorded, (names, content) = record.input_checksums or {}, self._inputs_now(job)
        return record.input != names or any(
            recorded.get(name) != sha256 for name, sha256 in content.items()
        )

    def input_checksums(self, job: Any, input_path: Any) -> set[Any]:
        """Return the recorded hashes of an input; its hash now goes to where Snakemake looks."""
        if (sha256 := self._hash_now(str(input_path))) is not None:
            self.dag.workflow.iocache.checksum[input_path] = sha256
        name = self._input_name(str(input_path))
        records = map(self.metadata, job.output)
        return {record and (record.input_checksums or {}).get(name) for record in records}

    def _inputs_now(self, job: Any) -> tuple[list[str], dict[str, str]]:
        """Return the names of inputs, and the hashes of the files that are there now.

        Folders are compared by date, as Snakemake does.
        """
        if job not in self._inputs:
            hashes = {self._input_name(path): self._hash_now(path) for path in map(str, job.input)}
            content = {name: sha256 for name, sha256 in hashes.items() if sha256 is not None}
            self._inputs[job] = self._input(job), content
        return self._inputs[job]

    def _hash_now(self, path: str) -> str | None:
        if path not in self._hashes_now:
            sha256 = self._hashes.of(path)
            self._hashes_now[path] = None if sha256 is None else f"sha256:{sha256}"
        return self._hashes_now[path]

    # ---- what is recorded ------------------------------------------------------------------------

    def _hear(self, event: str, record: Any) -> None:
        """Note the inputs of a job before it starts, and mark its outputs as incomplete.

        Snakemake marks them right after: a head that is killed in between would leave a job whose
        output passes for one that was changed.
        """
        if event == "job_info":
            self._states[str(record.jobid)] = {path: state_of(path) for path in record.input or ()}
            for path in (record.output or ()) if self._is_head else ():
                self._mark_incomplete(self._key_of(path), None)

    async def finished(self, job: Any) -> None:
        """Record a job. Snakemake calls this for one that failed too, which lacks outputs."""
        if all(map(os.path.exists, job.output)):
            checksums = self._checksums_of(job)
            self._checksums.update((self._get_key(f), checksums) for f in job.output)
            if self._is_head:
                # before the mark of an incomplete job goes
                self._made.note(job.output)
            else:
                self._record(job)
        elif self._is_head:
            return self.cleanup(job)
        await super().finished(job)

    def _record(self, job: Any) -> None:
        """Record a job of a cluster on its node: its head may have been killed by now.

        Where the head lives, it writes the same again.
        """
        record = MetadataRecord(
            rule=job.rule.name,
            code=self._code(job.rule),
            input=self._input(job),
            log=self._log(job),
            params=self._params(job),
            shellcmd=job.shellcmd,
            conda_env=self._conda_env(job),
            software_stack_hash=self._software_stack_hash(job),
            container_img_url=job.container_img_url,
            job_hash=hash(job),
            endtime=time.time(),
            incomplete=False,
            record_format_version=RECORD_FORMAT_VERSION,
        )
        for file in job.output:
            self._write_record(self._get_key(file), record)

    def _checksums_of(self, job: Any) -> dict[str, str]:
        """Return the hashes of the bytes that a job read: of inputs in the state of its start."""
        starts = self._states.pop(str(self.dag.jobid(job)), {})
        checksums = {}
        for path in map(str, job.input):
            if (sha256 := self._hashes.of_state(path, starts.get(path))) is not None:
                checksums[self._input_name(path)] = f"sha256:{sha256}"
        return checksums

    def _write_record(self, key: str, record: MetadataRecord) -> None:
        record.input_checksums = self._checksums.pop(key, {})
        super()._write_record(key, record)

    # ---- reading records -------------------------------------------------------------------------

    def _read_record(self, key: str) -> MetadataRecord | None:
        if key not in self._records_cache:
            try:
                content = self._io_read(self._metadata_path, key)
            except ValueError:
                content = None  # damaged: it proves nothing
            # not validated: thousands are read, which took a tenth of the time to plan
            record = MetadataRecord.model_construct(**content) if content else None
            self._records_cache[key] = record
        return self._records_cache[key]

    def _clear_cache(self) -> None:
        super()._clear_cache()
        self._records_cache, self._hashes_now, self._inputs = {}, {}, {}

"""What Snakemake logs of the jobs of a run, as it happens."""

import logging
from collections.abc import Callable

from snakemake.common import NOTHING_TO_BE_DONE_MSG


class JobEvents(logging.Handler):
    """Hears of jobs: that one starts ("job_info"), ends ("job_finished") or fails ("job_error")."""

    def hear(self, event: str, record: logging.LogRecord) -> None:
        raise NotImplementedError

    def emit(self, record: logging.LogRecord) -> None:
        if event := getattr(getattr(record, "event", None), "value", None):
            self.hear(event, record)

    def watch(self) -> None:
        logging.getLogger("snakemake.logging").addHandler(self)


class FinishedOutputs(JobEvents):
    """Hands on the outputs of each job that has ended, and that a run finds nothing to do."""

    def __init__(
        self, finished: Callable[[list[str]], None], nothing_to_do: Callable[[], None]
    ) -> None:
        super().__init__()
        self._finished, self._nothing_to_do = finished, nothing_to_do
        self._outputs: dict[str, list[str]] = {}

    def hear(self, event: str, record: logging.LogRecord) -> None:
        if event == "job_info":
            self._outputs[str(record.jobid)] = [str(one) for one in record.output or ()]
        elif event == "job_finished":
            self._finished(self._outputs.pop(str(record.job_id), []))

    def emit(self, record: logging.LogRecord) -> None:
        # which is no event, and after which Snakemake calls no hook
        if record.msg == NOTHING_TO_BE_DONE_MSG:
            self._nothing_to_do()
        super().emit(record)

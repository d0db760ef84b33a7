"""What Snakemake logs of the jobs of a run, as it happens."""

import logging


class JobEvents(logging.Handler):
    """Hears of jobs: that one starts ("job_info"), ends ("job_finished") or fails ("job_error")."""

    def hear(self, event: str, record: logging.LogRecord) -> None:
        raise NotImplementedError

    def emit(self, record: logging.LogRecord) -> None:
        if event := getattr(getattr(record, "event", None), "value", None):
            self.hear(event, record)

    def watch(self) -> None:
        logging.getLogger("snakemake.logging").addHandler(self)

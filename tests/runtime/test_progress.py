"""One line for each job that starts."""

import logging
from types import SimpleNamespace

import pytest
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

from workflow_scripts.runtime.progress import Progress
from workflow_scripts.runtime.snakemake_run import SnakemakeRun


def started(**wildcards: str) -> logging.LogRecord:
    values = {"event": LogEvent.JOB_INFO, "jobid": 7, "rule_name": "tune_encoder"}
    return logging.makeLogRecord({"msg": "", **values, "wildcards": wildcards})


def test_a_line_names_rule_and_what_it_is_of(capsys):
    progress = Progress()
    progress.emit(started(model="bert-en", recipe="mirror-word", corpus="words-en", seed="33"))
    progress.emit(started())
    progress.emit(logging.makeLogRecord({"msg": "Select jobs to execute..."}))
    assert capsys.readouterr().err.splitlines() == [
        "job 7, tune_encoder: model bert-en, recipe mirror-word, corpus words-en, seed 33",
        "job 7, tune_encoder",
    ]


@pytest.mark.parametrize(
    ("quiet", "says"),
    [
        ({Quietness.RULES, Quietness.HOST}, True),
        ({Quietness.HOST}, False),  # Snakemake shows jobs itself
        ({Quietness.ALL, Quietness.RULES}, False),
        ({Quietness.PROGRESS, Quietness.RULES}, False),
        (None, False),
    ],
)
def test_who_asked_for_more_or_less_gets_no_such_lines(quiet, says):
    progress = Progress()
    workflow = SimpleNamespace(output_settings=SimpleNamespace(quiet=quiet), modifier=None)
    progress.watch_if_quiet(SnakemakeRun(workflow))
    logger = logging.getLogger("snakemake.logging")
    assert (progress in logger.handlers) is says
    logger.removeHandler(progress)

"""Control characters of names: escaped where people read them, exact where programs do."""

import io
import logging
import os
import pty
import subprocess
import sys
from functools import partial

import pytest
from tqdm import tqdm

from workflow_scripts.__main__ import run
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import PrintedText, UserError, data_output, printable
from workflow_scripts.runtime.failed_jobs import FailedJobs

ESCAPES = {
    "\x1b[31m": r"\x1b[31m",
    "a\rb": r"a\rb",
    "\x00\x07\x08\x0b\x1f": r"\x00\x07\x08\x0b\x1f",
    "\x7f\x85\x9b": r"\x7f\x85\x9b",
    "\u202egpj\u202c": r"\u202egpj\u202c",
    "\u2066\u2069\u200f\u061c\u2028": r"\u2066\u2069\u200f\u061c\u2028",
    "\udcff": r"\udcff",
}
UNCHANGED = "a\tb\nc é 日本 עברית 👩\u200d👩 \\x1b"


@pytest.mark.parametrize(("text", "shown"), ESCAPES.items())
def test_control_characters_are_escaped_wherever_a_command_prints(text, shown, capsys):
    def main():
        print(f"out {text}")
        print(f"error {text}", file=sys.stderr)
        sys.stderr.writelines([f"line {text}\n"])
        raise UserError(text, "broken", "repair it")

    assert printable(text) == shown
    assert str(UserError(text, "broken", None)) == f"{shown}: broken"
    with pytest.raises(SystemExit):
        run_command(main)
    printed = capsys.readouterr()
    assert printed.out == f"out {shown}\n"
    assert printed.err == f"error {shown}\nline {shown}\nerror: {shown}: broken; repair it\n"


def test_other_characters_stay(capsys):
    run_command(lambda: print(UNCHANGED))
    assert capsys.readouterr().out == f"{UNCHANGED}\n"
    assert printable(printable("\x1b")) == printable("\x1b")


def test_an_error_of_control_characters_alone_is_not_long():
    assert len(str(UserError("\x1b" * 10_000, "\x1b" * 10_000, None))) < 1000


ODD = "no\x1b]0;title\x07\u202e.txt"
EMBED = ("embed", "--model", "m", "--output", "o.npy", "--strings")


@pytest.mark.parametrize("words", [(ODD,), (*EMBED, ODD), (*EMBED, "s", ODD)])
def test_names_in_words_of_a_command_are_escaped(words, tmp_path, monkeypatch, capsys):
    """As the command, as a file that is missing, and as a word that is not known."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as ended:
        run_command(partial(run, [*words]))
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert r"no\x1b]0;title\x07\u202e.txt" in printed
    assert printed.replace("\n", "").isprintable()


def test_a_progress_bar_is_drawn_as_always():
    bars = []
    for wrap in (lambda stream: stream, PrintedText):
        stream = io.StringIO()
        with tqdm(total=3, file=wrap(stream), desc="embedded", mininterval=0, ascii=True) as bar:
            bar.format_dict["elapsed"] = 0
            bar.update(3)
        bars.append([part.split("[")[0] for part in stream.getvalue().split("\r")])
    assert bars[0] == bars[1] and len(bars[0]) > 2


WRITE = """
from workflow_scripts.command_main import run_command
from workflow_scripts.errors import data_output
run_command(lambda: data_output().write("D1\\t\\x1b[31mname\\n"))
"""


def test_data_on_standard_output_are_exact_in_a_pipe_and_escaped_on_a_terminal(project):
    command = [sys.executable, "-c", WRITE]
    piped = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, check=True, timeout=60)
    assert piped.stdout == b"D1\t\x1b[31mname\n"
    ours, theirs = pty.openpty()
    subprocess.run(command, cwd=project, stdout=theirs, check=True, timeout=60)
    os.close(theirs)
    shown = os.read(ours, 1000)
    os.close(ours)
    assert rb"\x1b[31mname" in shown and b"\x1b" not in shown


def test_data_go_where_standard_output_goes_without_a_command():
    assert data_output() is sys.stdout


def test_what_a_failed_job_left_in_its_log_is_escaped(tmp_path, capsys):
    log = tmp_path / "a.log"
    log.write_text("command\nerror: \x1b[2Jname: broken\n")
    jobs = FailedJobs()
    failed = {"jobid": 1, "rule_name": "a_rule", "output": ["out"], "log": [str(log)]}
    failed |= {"rule_msg": "killed \x1b[2J", "aux_logs": []}
    jobs.hear("job_error", logging.makeLogRecord(failed))
    assert r"\x1b[2J" in jobs.lines[0] and jobs.lines[0].isprintable()
    assert "\x1b" not in capsys.readouterr().err

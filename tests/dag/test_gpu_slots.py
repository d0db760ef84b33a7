"""GPUs of jobs side by side, with real processes on pretended devices."""

import ast
import os
import signal
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise

import pytest

from workflow_scripts.dag import gpu_slots
from workflow_scripts.errors import UserError

SCHEDULERS = {
    "SLURM_JOB_ID": {"SLURM_JOB_ID": "7"},
    "PBS_JOBID": {"PBS_JOBID": "7.server"},
    "LSB_JOBID": {"LSB_JOBID": "7"},
    "SGE": {"JOB_ID": "7", "SGE_ROOT": "/opt/sge"},
}
# Notes its start, its devices and its end, at times of a clock that all processes share.
JOB = """
import os, sys, time
number, notes, seconds = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
def note(what):
    line = f"{number} {what} {os.environ['CUDA_VISIBLE_DEVICES']} {time.monotonic()}\\n"
    stream = os.open(notes, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(stream, line.encode())
    os.close(stream)
note("start")
time.sleep(seconds)
note("end")
"""
SHOW = ["/bin/sh", "-c", "echo ${CUDA_VISIBLE_DEVICES-unset}"]
# as nvidia-smi -L prints it: two whole GPUs and one in two parts
LISTING = """GPU 0: NVIDIA A100-SXM4-40GB (UUID: GPU-aaaa-1)
GPU 1: NVIDIA A100-SXM4-40GB (UUID: GPU-bbbb-2)
  MIG 3g.20gb     Device  0: (UUID: MIG-cccc-3)
  MIG 3g.20gb     Device  1: (UUID: MIG-dddd-4)
GPU 2: NVIDIA A100-SXM4-40GB (UUID: GPU-aaaa-5)
"""


@pytest.fixture
def no_gpu(monkeypatch, tmp_path):
    """A machine without a GPU or scheduler; its PATH is a folder of the test."""
    tools = tmp_path / "tools"
    tools.mkdir()
    monkeypatch.setenv("PATH", str(tools))
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", *SCHEDULERS, "JOB_ID", "SGE_ROOT"):
        monkeypatch.delenv(name, raising=False)
    return tools


@pytest.fixture
def listed(no_gpu):
    """A machine whose nvidia-smi gives the LISTING."""
    make_nvidia_smi(no_gpu, f"cat <<'END'\n{LISTING}END\n")


@pytest.fixture
def four(no_gpu, monkeypatch):
    """A machine with four devices."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")


def make_nvidia_smi(folder, body):
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nPATH=/bin:/usr/bin\n{body}")
    tool.chmod(0o755)


@pytest.fixture
def start(project, tmp_path):
    """Start a command on GPUs of its own; what the test leaves running is killed."""
    started = []

    def start_one(gpus, command, stderr=subprocess.PIPE, **environment):
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "workflow_scripts.dag.gpu_slots", "--gpus", str(gpus)),
                *("--folder", str(tmp_path / "slots"), "--", *command),
            ],
            cwd=project,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )
        started.append(process)
        return process

    yield start_one
    for process in started:
        process.kill()
        process.communicate()


def run(start, gpus, command, **environment):
    """Return (exit status, output, errors) of a command."""
    process = start(gpus, command, **environment)
    output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


class Notes:
    """What the jobs of a test noted, and what the test noted of those that it killed."""

    def __init__(self, file):
        self.file = file
        self.killed = {}

    def read(self):
        """Return {job: (its devices, start, end or None)}, in the order of the starts."""
        found = {}
        for line in self.file.read_text().splitlines() if self.file.exists() else []:
            job, what, devices, moment = line.split(" ")
            if what == "start":
                found[int(job)] = (devices.split(","), float(moment), self.killed.get(int(job)))
            else:
                found[int(job)] = (*found[int(job)][:2], float(moment))
        return found


def start_job(start, job, gpus, notes, seconds):
    """Start a job that notes its times; return when it has its devices or stands in the queue."""
    told = notes.file.with_name(f"errors{job}")
    command = [sys.executable, "-I", "-S", "-c", JOB, str(job), str(notes.file), str(seconds)]
    with told.open("w") as stream:
        process = start(gpus, command, stderr=stream)
    wait_for(lambda: job in notes.read() or told.read_text())
    return process


def test_twenty_jobs_on_four_devices_some_of_them_killed(four, start, tmp_path):
    notes = Notes(tmp_path / "notes")
    wanted = dict.fromkeys(range(20), 1) | {3: 2, 8: 2, 14: 2}
    killed_running, killed_waiting = {1, 5, 8, 11}, {13, 16}
    jobs = {
        job: start_job(start, job, gpus, notes, 100 if job in killed_running else 0.2)
        for job, gpus in wanted.items()
    }
    for job in killed_waiting:
        jobs[job].kill()
    left = set(killed_running)
    while left:
        wait_for(lambda: left & set(notes.read()))
        for job in left & set(notes.read()):
            notes.killed[job] = time.monotonic()
            jobs[job].kill()
            left.remove(job)
    for job, process in jobs.items():
        killed = job in killed_running | killed_waiting
        assert process.wait(timeout=60) == (-signal.SIGKILL if killed else 0)

    found = notes.read()
    # none starved, and each got what it asked for
    assert set(found) == set(wanted) - killed_waiting
    assert all(len(set(devices)) == wanted[job] for job, (devices, _, _) in found.items())
    # never two jobs on a device
    times = defaultdict(list)
    for devices, begin, end in found.values():
        for device in devices:
            times[device].append((begin, end))
    assert set(times) == {"0", "1", "2", "3"}
    for intervals in times.values():
        intervals.sort()
        for (_, end), (begin, _) in pairwise(intervals):
            assert end < begin
    # and no slot is lost
    assert run(start, 4, SHOW) == (0, "0,1,2,3\n", "")


def test_first_come_first_served_also_for_jobs_of_several_devices(
    no_gpu, monkeypatch, start, tmp_path
):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    notes = Notes(tmp_path / "notes")
    holder = start_job(start, 0, 2, notes, 100)
    wanted = {1: 1, 2: 1, 3: 2, 4: 1, 5: 1, 6: 2, 7: 2}
    jobs = [start_job(start, job, gpus, notes, 0.1) for job, gpus in wanted.items()]
    holder.kill()
    assert [job.wait(timeout=60) for job in jobs] == [0] * len(jobs)
    # two on a device each may note their starts in either order
    order = list(notes.read())
    assert [set(order[:3]), order[3], set(order[4:6]), *order[6:]] == [{0, 1, 2}, 3, {4, 5}, 6, 7]


def test_a_job_that_waits_says_so_once_and_starts_when_a_device_is_free(four, start):
    holder = start(4, ["/bin/sh", "-c", "echo on; exec /bin/sleep 100"])
    assert holder.stdout.readline() == "on\n"
    waiting = start(1, SHOW)
    assert waiting.stderr.readline() == "waiting for a free GPU of 0, 1, 2, 3\n"
    holder.kill()
    assert waiting.communicate(timeout=60) == ("0\n", "")


def test_children_of_a_killed_job_that_python_started_do_not_keep_its_device(four, start):
    child = "subprocess.Popen(['/bin/sleep', '5'], stdout=-3, stderr=-3)"
    code = f"import subprocess, time; {child}; print('on', flush=True); time.sleep(100)"
    holder = start(4, [sys.executable, "-c", code])
    assert holder.stdout.readline() == "on\n"
    holder.kill()
    assert run(start, 4, SHOW)[:2] == (0, "0,1,2,3\n")


def test_the_command_has_its_status_and_gets_the_signals(four, start):
    assert run(start, 1, ["/bin/sh", "-c", "exit 3"])[0] == 3
    assert run(start, 1, ["no-such-command"])[0] == 2
    handler = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(7)); "
    process = start(2, [sys.executable, "-c", handler + "print('on', flush=True); time.sleep(100)"])
    assert process.stdout.readline() == "on\n"
    process.terminate()
    assert process.wait(timeout=60) == 7


def test_words_after_the_command_s_own_dashes_are_its_own(four, start):
    assert run(start, 1, ["/bin/echo", "--gpus", "--", "x y"])[1] == "--gpus -- x y\n"


def test_more_devices_than_there_are_is_one_line(four, start):
    status, _, errors = run(start, 5, SHOW)
    assert status == 2
    assert errors.startswith("error: 5 GPUs are asked for one job, but there are 4 (0, 1, 2, 3);")
    assert "`processes.tuning`" in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("names", [None, "", "-1", "NoDevFiles"])
def test_without_a_gpu_the_command_runs_at_once(names, no_gpu, start, tmp_path):
    environment = {} if names is None else {"CUDA_VISIBLE_DEVICES": names}
    shown = "unset" if names is None else names
    assert run(start, 2, SHOW, **environment) == (0, f"{shown}\n", "")
    assert not (tmp_path / "slots").exists()


def test_a_driver_without_devices_counts_as_none(no_gpu, start):
    make_nvidia_smi(no_gpu, "echo 'NVIDIA-SMI has failed'; exit 9\n")
    assert run(start, 1, SHOW) == (0, "unset\n", "")


def test_no_gpu_asked_for_leaves_everything_as_it_is(four, start):
    assert run(start, 0, SHOW) == (0, "0,1,2,3\n", "")


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("given", [None, "", "2", "GPU-bbbb", "1,3"])
def test_what_a_scheduler_gave_is_left_as_it_is(scheduler, given, listed, start, tmp_path):
    environment = SCHEDULERS[scheduler] | ({} if given is None else {"CUDA_VISIBLE_DEVICES": given})
    shown = "unset" if given is None else given
    assert run(start, 2, SHOW, **environment) == (0, f"{shown}\n", "")
    assert not (tmp_path / "slots").exists()


def test_a_whole_run_within_a_scheduler_s_job_shares_the_devices_of_that_job(four, start):
    in_job = SCHEDULERS["SLURM_JOB_ID"] | {"CUDA_VISIBLE_DEVICES": "0,1"}
    sleep = ["/bin/sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exec /bin/sleep 100"]
    first = start(1, sleep, **in_job)
    assert first.stdout.readline() == "0\n"
    assert run(start, 1, SHOW, **in_job)[:2] == (0, "1\n")
    # the devices of another job are others, though their numbers are the same
    assert run(start, 1, SHOW, **in_job | {"SLURM_JOB_ID": "8"})[:2] == (0, "0\n")


def test_devices_come_from_nvidia_smi_where_none_are_named(listed, start):
    sleep = ["/bin/sh", "-c", "echo $CUDA_VISIBLE_DEVICES; exec /bin/sleep 100"]
    # a program sees one MIG part and no more
    both = start(2, sleep)
    assert both.stdout.readline() == "0,2\n"
    third = start(1, sleep)
    assert third.stdout.readline() == "MIG-cccc-3\n"
    assert run(start, 1, SHOW) == (0, "MIG-dddd-4\n", "")
    status, _, errors = run(start, 3, SHOW)
    assert status == 2
    assert "there are 2 (0, 2)" in errors


@pytest.mark.parametrize("name", ["0", " 0", "GPU-aaaa-1", "MIG-cccc-3"])
def test_a_device_is_the_same_whatever_it_is_called(name, listed, monkeypatch):
    by_name = {device.slot for device in gpu_slots.visible_devices()}
    assert by_name == {"0", "MIG-cccc-3", "MIG-dddd-4", "2"}
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", name)
    (device,) = gpu_slots.visible_devices()
    assert device.slot in by_name
    assert device.name == name.strip()


def test_the_start_of_a_uuid_names_its_gpu_if_it_is_one(listed, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "GPU-bb,GPU-aaaa")
    assert [device.slot for device in gpu_slots.visible_devices()] == ["1", "GPU-aaaa"]


def test_an_entry_that_names_no_device_ends_the_list(no_gpu, monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3,1,3,-1,2")
    assert [device.name for device in gpu_slots.visible_devices()] == ["3", "1"]


def test_a_driver_that_hangs_is_an_error(no_gpu, monkeypatch):
    make_nvidia_smi(no_gpu, "exec sleep 100\n")
    monkeypatch.setattr(gpu_slots, "NVIDIA_SMI_SECONDS", 0.2)
    with pytest.raises(UserError, match="CUDA_VISIBLE_DEVICES"):
        gpu_slots.visible_devices()


def test_numbers_are_those_of_nvidia_smi_for_the_command_too(four, start):
    order = ["/bin/sh", "-c", "echo $CUDA_DEVICE_ORDER"]
    assert run(start, 1, order)[1] == "PCI_BUS_ID\n"
    assert run(start, 1, order, CUDA_DEVICE_ORDER="FASTEST_FIRST")[1] == "FASTEST_FIRST\n"


def test_a_folder_that_others_could_have_put_there_is_refused(four, start, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "slots").symlink_to(tmp_path / "elsewhere")
    status, output, errors = run(start, 1, SHOW)
    assert (status, output) == (2, "")
    assert "slots: is not a folder that only you can write to" in errors
    (tmp_path / "slots").unlink()
    (tmp_path / "slots").symlink_to(tmp_path / "nothing")
    assert run(start, 1, SHOW)[0] == 2
    (tmp_path / "slots").unlink()
    (tmp_path / "slots").mkdir()
    (tmp_path / "slots").chmod(0o777)
    assert run(start, 1, SHOW)[0] == 2
    (tmp_path / "slots").chmod(0o700)
    assert run(start, 1, SHOW)[0] == 0


def test_a_folder_of_somebody_else_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    with pytest.raises(UserError, match="ask its owner"):
        gpu_slots.open_folder(tmp_path)


def test_without_locks_the_command_runs_with_a_warning(four, monkeypatch, tmp_path, capsys):
    def no_locks(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(gpu_slots.fcntl, "flock", no_locks)
    gpu_slots.reserve(1, str(tmp_path / "slots"))
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0,1,2,3"
    errors = capsys.readouterr().err
    assert errors.startswith(f"warning: {tmp_path}/slots: no locks here (Operation not supported)")
    assert errors.count("\n") == 1


def test_the_list_says_which_are_taken(four, start, tmp_path, capsys):
    holder = start(2, ["/bin/sh", "-c", "echo on; exec /bin/sleep 100"])
    assert holder.stdout.readline() == "on\n"
    gpu_slots.main(["--list", "--folder", str(tmp_path / "slots")])
    assert capsys.readouterr().out == "0\ttaken\n1\ttaken\n2\tfree\n3\tfree\n"


# ---- the functions of the Snakefile -------------------------------------------------------------


@pytest.fixture(scope="module")
def prefix(project):
    """What the Snakefile puts before every shell command."""
    text = (project / "Snakefile").read_text()
    argument = text.split("shell.prefix(")[1].split("\n)\n")[0]
    return ast.literal_eval(f"({argument})").format()


def bash(prefix, command, project, **environment):
    return subprocess.run(
        ["/bin/bash", "-c", prefix + command],
        cwd=project,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def test_a_rule_without_gpus_starts_nothing_else_and_sees_none(prefix, four, project, tmp_path):
    """There is no python on the PATH of this test."""
    log = tmp_path / "log"
    command = (
        f"logged {log} on_gpu 0 /bin/sh -c 'echo \"${{CUDA_VISIBLE_DEVICES-unset}} $1\"' sh 'x y'"
    )
    result = bash(prefix, command, project)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert log.read_text() == " x y\n"


def test_a_rule_with_a_gpu_has_its_status_and_errors_from_the_command(
    prefix, four, project, tmp_path
):
    (tmp_path / "tools" / "python").symlink_to(sys.executable)
    (tmp_path / "tools" / "tail").symlink_to("/usr/bin/tail")
    log = tmp_path / "log"
    command = f"logged {log} on_gpu 1 /bin/sh -c 'echo told >&2; exit 5'; echo not reached"
    result = bash(prefix, command, project)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "told\n")
    assert log.read_text() == "told\n"


def test_every_rule_that_asks_for_a_gpu_takes_one(project):
    rules = 0
    for file in sorted((project / "rules").glob("*.smk")):
        for block in file.read_text().split("\nrule ")[1:]:
            if "gpu=" not in block:
                continue
            asks = "gpu=0," not in block
            assert ("on_gpu {resources.gpu} " in block) == asks, block.split(":")[0]
            rules += asks
    assert rules == 5

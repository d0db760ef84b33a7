"""GPUs of jobs side by side, with real processes on pretended devices."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import defaultdict
from itertools import pairwise

import pytest
from same_everywhere import wait_for

from workflow_scripts.errors import UserError
from workflow_scripts.project_files import shell_functions
from workflow_scripts.runtime import gpu_slots

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


def make_nvidia_smi(folder, body):
    tool = folder / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\nPATH=/bin:/usr/bin\n{body}")
    tool.chmod(0o755)


@pytest.fixture
def four(no_gpu, monkeypatch):
    """A machine with four devices."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1,2,3")


@pytest.fixture
def start(project, tmp_path):
    """Start a command on GPUs of its own; what the test leaves running is killed."""
    started = []

    def start_one(gpus, command, stderr=subprocess.PIPE, **environment):
        words = [sys.executable, "-m", "workflow_scripts.runtime.gpu_slots", "--gpus", str(gpus)]
        words += ["--folder", str(tmp_path / "slots"), "--", *command]
        options = {"env": {**os.environ, **environment}, "stdout": subprocess.PIPE, "text": True}
        process = subprocess.Popen(words, cwd=project, stderr=stderr, **options)
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


def read_notes(notes):
    """Return {job: [its devices, start, end if it noted that]}, in the order of the starts."""
    found = {}
    for line in notes.read_text().splitlines() if notes.exists() else []:
        job, _, devices, moment = line.split(" ")
        found.setdefault(int(job), [devices.split(",")]).append(float(moment))
    return found


def start_job(start, job, gpus, notes, seconds):
    """Start a job that notes its times; return when it has its devices or is in the queue."""
    told = notes.with_name(f"errors{job}")
    command = [sys.executable, "-I", "-S", "-c", JOB, str(job), str(notes), str(seconds)]
    with told.open("w") as stream:
        process = start(gpus, command, stderr=stream)
    wait_for(lambda: job in read_notes(notes) or told.read_text())
    return process


def test_twenty_jobs_on_four_devices_some_of_them_killed(four, start, tmp_path):
    notes = tmp_path / "notes"
    wanted = dict.fromkeys(range(20), 1) | {3: 2, 8: 2, 14: 2}
    killed_running, killed_waiting = {1, 5, 8, 11}, {13, 16}
    jobs = {
        job: start_job(start, job, gpus, notes, 100 if job in killed_running else 0.2)
        for job, gpus in wanted.items()
    }
    for job in killed_waiting:
        jobs[job].kill()
    ends, left = {}, set(killed_running)
    while left:
        wait_for(lambda: left & set(read_notes(notes)))
        for job in left & set(read_notes(notes)):
            ends[job] = time.monotonic()
            jobs[job].kill()
            left.remove(job)
    for job, process in jobs.items():
        killed = job in killed_running | killed_waiting
        assert process.wait(timeout=60) == (-signal.SIGKILL if killed else 0)

    found = read_notes(notes)
    # none starved, and each got what it asked for
    assert set(found) == set(wanted) - killed_waiting
    assert all(len(set(devices)) == wanted[job] for job, (devices, *_) in found.items())
    # never two jobs on a device
    times = defaultdict(list)
    for job, (devices, begin, *end) in found.items():
        for device in devices:
            times[device].append((begin, end[0] if end else ends[job]))
    assert set(times) == {"0", "1", "2", "3"}
    for intervals in times.values():
        intervals.sort()
        for (_, end), (begin, _) in pairwise(intervals):
            assert end < begin
    # and no slot is lost
    assert run(start, 4, SHOW) == (0, "0,1,2,3\n", "")


def test_first_come_first_served_also_for_several_devices(no_gpu, monkeypatch, start, tmp_path):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0,1")
    notes = tmp_path / "notes"
    holder = start_job(start, 0, 2, notes, 100)
    wanted = {1: 1, 2: 1, 3: 2, 4: 1, 5: 1, 6: 2, 7: 2}
    jobs = [start_job(start, job, gpus, notes, 0.1) for job, gpus in wanted.items()]
    holder.kill()
    assert [job.wait(timeout=60) for job in jobs] == [0] * len(jobs)
    # two on a device each may note their starts in either order
    order = list(read_notes(notes))
    assert [set(order[:3]), order[3], set(order[4:6]), *order[6:]] == [{0, 1, 2}, 3, {4, 5}, 6, 7]


def hold(start, gpus, before="pass", **environment):
    """Start a job that prints its devices and keeps running; return it and its output."""
    code = f"import os, time; {before}; print(os.environ['CUDA_VISIBLE_DEVICES'], flush=True)"
    process = start(gpus, [sys.executable, "-c", f"{code}; time.sleep(100)"], **environment)
    return process, process.stdout.readline().strip()


def test_a_job_that_waits_says_so_once_and_starts_when_a_device_is_free(four, start):
    # a child that Python started does not keep the device of its killed parent
    child = "import subprocess; subprocess.Popen(['/bin/sleep', '5'], stdout=-3, stderr=-3)"
    holder, _ = hold(start, 4, child)
    waiting = start(1, SHOW)
    assert waiting.stderr.readline() == "waiting for a free GPU of 0, 1, 2, 3\n"
    holder.kill()
    assert waiting.communicate(timeout=60) == ("0\n", "")


def test_the_command_has_its_status_and_gets_the_signals(four, start):
    assert run(start, 1, ["/bin/sh", "-c", "exit 3"])[0] == 3
    assert run(start, 1, ["no-such-command"])[0] == 2
    assert run(start, 1, ["/bin/echo", "--gpus", "--", "x y"])[1] == "--gpus -- x y\n"
    process, _ = hold(start, 2, "import signal, sys; signal.signal(15, lambda *_: sys.exit(7))")
    process.terminate()
    assert process.wait(timeout=60) == 7
    # the numbers are those of nvidia-smi for the command too
    order = ["/bin/sh", "-c", "echo $CUDA_DEVICE_ORDER"]
    assert run(start, 1, order)[1] == "PCI_BUS_ID\n"
    assert run(start, 1, order, CUDA_DEVICE_ORDER="FASTEST_FIRST")[1] == "FASTEST_FIRST\n"
    # more devices than there are is one line
    status, _, errors = run(start, 5, SHOW)
    assert status == 2
    assert errors.startswith(
        "error: --gpus: 5 GPUs are asked for one job, but there are 4 (0, 1, 2, 3);"
    )
    assert "`processes.tuning`" in errors and errors.count("\n") == 1


def test_without_a_gpu_the_command_runs_at_once(no_gpu, start, tmp_path):
    for names in ("", "-1", "NoDevFiles"):
        assert run(start, 2, SHOW, CUDA_VISIBLE_DEVICES=names) == (0, f"{names}\n", "")
    assert run(start, 2, SHOW) == (0, "unset\n", "")
    assert not (tmp_path / "slots").exists()
    # a driver without devices counts as none, and none asked for changes nothing
    make_nvidia_smi(no_gpu, "echo 'NVIDIA-SMI has failed'; exit 9\n")
    assert run(start, 1, SHOW) == (0, "unset\n", "")
    assert run(start, 0, SHOW, CUDA_VISIBLE_DEVICES="0,1") == (0, "0,1\n", "")


@pytest.mark.parametrize(
    ("scheduler", "given"),
    [
        *((scheduler, "1,3") for scheduler in SCHEDULERS),
        *(("SLURM_JOB_ID", given) for given in (None, "", "2", "GPU-bbbb")),
    ],
)
def test_what_a_scheduler_gave_is_left_as_it_is(scheduler, given, listed, start, tmp_path):
    environment = SCHEDULERS[scheduler] | ({} if given is None else {"CUDA_VISIBLE_DEVICES": given})
    shown = "unset" if given is None else given
    assert run(start, 2, SHOW, **environment) == (0, f"{shown}\n", "")
    assert not (tmp_path / "slots").exists()


def test_a_whole_run_within_a_scheduler_s_job_shares_the_devices_of_that_job(four, start):
    in_job = SCHEDULERS["SLURM_JOB_ID"] | {"CUDA_VISIBLE_DEVICES": "0,1"}
    assert hold(start, 1, **in_job)[1] == "0"
    assert run(start, 1, SHOW, **in_job)[:2] == (0, "1\n")
    # the devices of another job are others, though their numbers are the same
    assert run(start, 1, SHOW, **in_job | {"SLURM_JOB_ID": "8"})[:2] == (0, "0\n")


def test_devices_come_from_nvidia_smi_where_none_are_named(listed, start):
    # a program sees one MIG part and no more
    assert hold(start, 2)[1] == "0,2"
    assert hold(start, 1)[1] == "MIG-cccc-3"
    assert run(start, 1, SHOW) == (0, "MIG-dddd-4\n", "")
    assert "there are 2 (0, 2)" in run(start, 3, SHOW)[2]


def test_a_device_is_the_same_whatever_it_is_called(listed, monkeypatch):
    by_name = {device.slot for device in gpu_slots.visible_devices()}
    assert by_name == {"0", "MIG-cccc-3", "MIG-dddd-4", "2"}
    for name in ("0", " 0", "GPU-aaaa-1", "MIG-cccc-3"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", name)
        (device,) = gpu_slots.visible_devices()
        assert device.slot in by_name and device.name == name.strip()
    # the start of a UUID names its GPU if it is one's alone; no device ends the list
    for names, slots in (("GPU-bb,GPU-aaaa", ["1", "GPU-aaaa"]), ("3,1,3,-1,2", ["3", "1"])):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", names)
        assert [device.slot for device in gpu_slots.visible_devices()] == slots


def test_a_driver_that_hangs_is_an_error(no_gpu, monkeypatch):
    make_nvidia_smi(no_gpu, "exec sleep 100\n")
    monkeypatch.setattr(gpu_slots, "NVIDIA_SMI_SECONDS", 0.2)
    with pytest.raises(UserError, match="CUDA_VISIBLE_DEVICES"):
        gpu_slots.visible_devices()


def test_a_folder_that_others_could_have_put_there_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "slots"

    def refused():
        with pytest.raises(UserError, match="slots: is not a folder that only you can write to"):
            gpu_slots.open_folder(folder)

    for target in ("elsewhere", "nothing"):
        (tmp_path / "elsewhere").mkdir(exist_ok=True)
        folder.symlink_to(tmp_path / target)
        refused()
        folder.unlink()
    folder.mkdir()
    folder.chmod(0o777)
    refused()
    folder.chmod(0o700)
    assert gpu_slots.open_folder(folder) == folder
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    refused()


def test_without_locks_the_command_runs_with_a_warning(four, monkeypatch, tmp_path, capsys):
    def no_locks(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(gpu_slots.fcntl, "flock", no_locks)
    gpu_slots.reserve(1, str(tmp_path / "slots"))
    assert os.environ["CUDA_VISIBLE_DEVICES"] == "0,1,2,3"
    errors = capsys.readouterr().err
    assert errors.startswith(
        f"warning: {tmp_path}/slots: locks do not work here (Operation not supported)"
    )
    assert errors.count("\n") == 1


def test_the_list_says_which_are_taken(four, start, tmp_path, capsys):
    hold(start, 2)
    gpu_slots.main(["--list", "--folder", str(tmp_path / "slots")])
    assert capsys.readouterr().out == "0\ttaken\n1\ttaken\n2\tfree\n3\tfree\n"


# ---- job.sh ------------------------------------------------------------------------------------


def test_a_command_of_a_rule_gets_its_gpus_and_its_end_is_passed_on(
    four, project, tmp_path, monkeypatch
):
    monkeypatch.chdir(project)
    assert "source workflow_scripts/runtime/job.sh" in shell_functions()
    log = tmp_path / "a log"

    def bash(command):
        words = ["/bin/bash", "-c", f"{shell_functions()}{command}"]
        found = subprocess.run(words, cwd=project, env=os.environ, capture_output=True, text=True)
        # behind the command
        written = log.read_text().partition("\n")[2]
        return found.returncode, found.stdout, found.stderr, written

    for tool in ("mkdir", "rm", "tail"):
        (tmp_path / "tools" / tool).symlink_to(shutil.which(tool, path="/usr/bin:/bin"))
    # without GPUs nothing else is started (no python is on the PATH), and none is seen
    show = "/bin/sh -c 'echo \"${CUDA_VISIBLE_DEVICES-unset} $1\"' sh 'x y'"
    assert bash(f"logged '{log}' none on_gpu 0 {show}") == (0, "", "", " x y\n")
    (tmp_path / "tools" / "python").symlink_to(sys.executable)
    fails = "/bin/sh -c 'echo told >&2; exit 5'; echo not reached"
    assert bash(f"logged '{log}' none on_gpu 1 {fails}") == (1, "", "told\n", "told\n")


def test_every_rule_that_asks_for_a_gpu_takes_one_and_no_other_does(rule_files):
    blocks = [block for file in rule_files for block in file.read_text().split("\nrule ")[1:]]
    asking = [block for block in blocks if re.search(r" gpu=(?!0,)", block)]
    assert len(asking) >= 4
    assert asking == [block for block in blocks if "on_gpu {resources.gpu} " in block]

"""A job's own GPUs: waits until as many as it asks for are free, then becomes the command.

    python -m workflow_scripts.runtime.gpu_slots --gpus 1 -- COMMAND...

Snakemake counts GPUs but hands out none, so that jobs side by side would share the first. Here who
holds the lock on a device's file has it. The command takes the place of this process and keeps the
locks, so the kernel gives the devices back however it ends. Nothing changes without a GPU, nor
where a scheduler gave the job its devices. No result depends on which device computes.
"""

import argparse
import fcntl
import hashlib
import os
import re
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from workflow_scripts.command_main import run_command
from workflow_scripts.errors import UserError

# On the node itself: jobs of other nodes have other devices, and locks over NFS are not to be
# trusted. Not $TMPDIR, which schedulers set to a folder for each job.
FOLDER = f"/tmp/gpu-slots-{os.geteuid()}"
SCHEDULER_JOBS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")
SECONDS_BETWEEN_LOOKS = 0.1
# without persistence mode the driver loads first, on a machine with many devices for long
NVIDIA_SMI_SECONDS = 60


class Device(NamedTuple):
    """A GPU or a MIG part of one."""

    name: str  # as CUDA_VISIBLE_DEVICES has it
    slot: str  # of its file: nvidia-smi's number, of a MIG part its UUID, whatever the name is


def scheduler_job() -> str | None:
    """Return the id of the scheduler's job that this process is in."""
    # SGE's own name is too common to be trusted alone
    names = [*SCHEDULER_JOBS, *(["JOB_ID"] if "SGE_ROOT" in os.environ else [])]
    return next((os.environ[name] for name in names if name in os.environ), None)


def machine_devices() -> tuple[list[Device], dict[str, str]]:
    """Return the devices that nvidia-smi lists, none without it, and the number of each GPU's UUID.

    A GPU that is cut into MIG parts is none itself. Raises `UserError` if nvidia-smi hangs.
    """
    try:
        listing = subprocess.check_output(
            ["nvidia-smi", "-L"],
            stderr=subprocess.DEVNULL,
            text=True,
            timeout=NVIDIA_SMI_SECONDS,
        )
    except (OSError, subprocess.CalledProcessError):
        return [], {}
    except subprocess.TimeoutExpired:
        problem = f"did not answer within {NVIDIA_SMI_SECONDS} s"
        remedy = "fix the driver, or name the GPUs by their numbers in CUDA_VISIBLE_DEVICES"
        raise UserError("nvidia-smi -L", problem, remedy) from None
    parts: dict[str, list[str]] = {}
    numbers: dict[str, str] = {}
    for line in listing.splitlines():
        if gpu := re.match(r"GPU (\d+): .*\(UUID: (GPU-[^)]+)\)", line):
            numbers[gpu[2]] = gpu[1]
            parts[gpu[1]] = []
        elif part := re.match(r"\s+MIG .*\(UUID: (MIG-[^)]+)\)", line):
            next(reversed(parts.values())).append(part[1])
    names = [name for number, own in parts.items() for name in own or [number]]
    return [Device(name, name) for name in names], numbers


def named_devices(names: str) -> list[Device]:
    """Return the devices of a value of CUDA_VISIBLE_DEVICES: numbers, UUIDs or starts of UUIDs."""
    entries = [entry.strip() for entry in names.split(",")]
    # as CUDA reads it, the first entry that names no device ends the list
    valid = takewhile(lambda entry: entry.isdecimal() or entry[:4] in ("GPU-", "MIG-"), entries)
    entries = list(dict.fromkeys(valid))
    numbers = machine_devices()[1] if any(entry[:4] == "GPU-" for entry in entries) else {}

    def slot(entry: str) -> str:
        if entry.isdecimal():
            return str(int(entry))
        matching = [number for uuid, number in numbers.items() if uuid.startswith(entry)]
        return matching[0] if len(matching) == 1 else entry.replace("/", "-")

    return [Device(entry, slot(entry)) for entry in entries]


def visible_devices() -> list[Device]:
    """Return the devices that this process may use: those named, or else all of the machine."""
    names, job = os.environ.get("CUDA_VISIBLE_DEVICES"), scheduler_job()
    if names is None:
        return [] if job else machine_devices()[0]
    # a scheduler may number its devices from 0 in every job
    prefix = f"{job.replace('/', '-')}-" if job else ""
    return [Device(device.name, prefix + device.slot) for device in named_devices(names)]


def open_folder(path: str | Path) -> Path:
    """Return the folder of the locks; `UserError` if anybody else can have made or changed it."""
    path = Path(path)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    state = path.lstat()
    own = stat.S_ISDIR(state.st_mode) and state.st_uid == os.geteuid()
    if not own or state.st_mode & 0o022:
        why = "is not a folder that only you can write to, so its locks cannot be trusted"
        raise UserError(path, why, "remove it, or ask its owner to")
    return path


def lock(file: Path, wait: bool = False) -> int | None:
    """Return a descriptor that holds the lock on a file, None if another has it; or `OSError`."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    # so that what tidies up /tmp by age leaves it
    os.utime(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        os.close(descriptor)
        if isinstance(error, BlockingIOError):
            return None
        raise
    return descriptor


def lock_free_ones(folder: Path, devices: Sequence[Device], gpus: int) -> dict[Device, int]:
    """Return the locks of `gpus` devices, or of none where fewer are free."""
    held: dict[Device, int] = {}
    for device in devices:
        if (descriptor := lock(folder / device.slot)) is not None:
            held[device] = descriptor
        if len(held) == gpus:
            return held
    for descriptor in held.values():
        os.close(descriptor)
    return {}


def take_slots(folder: Path, devices: Sequence[Device], gpus: int) -> dict[Device, int]:
    """Wait for `gpus` devices that are free at once; return their locks.

    First come, first served: who waits stands at the lock of a queue (one for each set of devices),
    which the kernel hands on in order of arrival, and only its holder looks for free devices. So
    nobody holds one while waiting for another, and who wants several is not overtaken. (One that is
    killed in the queue may shuffle those behind it: they all stand in line again.)
    """
    slots = ",".join(sorted(device.slot for device in devices))
    queue = folder / f"queue-{hashlib.sha256(slots.encode()).hexdigest()[:16]}"
    turn = lock(queue)
    held = lock_free_ones(folder, devices, gpus) if turn is not None else {}
    if not held:
        names = ", ".join(device.name for device in devices)
        awaited = "a free GPU" if gpus == 1 else f"{gpus} free GPUs"
        print(f"waiting for {awaited} of {names}", file=sys.stderr, flush=True)
        turn = lock(queue, wait=True) if turn is None else turn
    while not (held := held or lock_free_ones(folder, devices, gpus)):
        time.sleep(SECONDS_BETWEEN_LOOKS)
    assert turn is not None
    os.close(turn)
    return held


def reserve(gpus: int, folder: str) -> None:
    """Reserve GPUs for this process, if there are any, and name them in CUDA_VISIBLE_DEVICES."""
    devices = visible_devices() if gpus else []
    # a scheduler's job that was given no more than one of ours asks for is left as it is; one that
    # was given more holds a whole run, whose jobs share its devices
    if not devices or (scheduler_job() and len(devices) <= gpus):
        return
    # a program sees one MIG part and no more, so a job of several takes none
    devices = [device for device in devices if gpus == 1 or not device.name.startswith("MIG-")]
    if len(devices) < gpus:
        there = ", ".join(device.name for device in devices) or "only MIG parts"
        raise UserError(
            "--gpus",
            f"{gpus} GPUs are asked for one job, but there are {len(devices)} ({there})",
            "lower `processes.tuning` in the config, or name more in CUDA_VISIBLE_DEVICES",
        )
    try:
        held = take_slots(open_folder(folder), devices, gpus)
    except OSError as error:
        why = f"locks do not work here ({error.strerror}), so jobs may share a GPU"
        remedy = "run one at a time with --resources gpu=1"
        print(f"warning: {folder}: {why}; {remedy}", file=sys.stderr)
        return
    for descriptor in held.values():
        os.set_inheritable(descriptor, True)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(device.name for device in held)
    # the numbers of nvidia-smi; CUDA by itself puts the fastest device first
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")


def main(argv: list[str] | None = None) -> None:
    argv = sys.argv[1:] if argv is None else argv
    at = argv.index("--") if "--" in argv else len(argv)
    options, command = argv[:at], argv[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.usage = "%(prog)s (--gpus N -- COMMAND... | --list)"
    parser.add_argument("--gpus", type=int, default=1, help="devices that the command needs")
    parser.add_argument("--list", action="store_true", help="print the devices and which are free")
    parser.add_argument("--folder", default=FOLDER, help="folder of the locks")
    arguments = parser.parse_args(options)
    if arguments.list:
        for device in visible_devices():
            # given up again when this command ends
            taken = lock(open_folder(arguments.folder) / device.slot) is None
            print(device.name, "taken" if taken else "free", sep="\t")
        return
    if arguments.gpus < 0 or not command:
        raise UserError("--gpus", "give 0 or more, then -- and the command to run", None)
    reserve(arguments.gpus, arguments.folder)
    # Python ignores it, and what is ignored stays so in the command
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise UserError(
            command[0], error.strerror or str(error), "install it or fix PATH"
        ) from error


if __name__ == "__main__":
    run_command(main)

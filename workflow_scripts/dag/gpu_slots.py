"""A job's own GPUs: waits until as many as it asks for are free, then becomes the command.

    python -m workflow_scripts.dag.gpu_slots --gpus 1 -- COMMAND...

Snakemake counts GPUs but hands out none, so that jobs side by side would share the first. Here
every device has a file, and who holds the lock on it has the device. The command takes the place
of this process and keeps the locks, so the kernel gives the devices back when it ends, however it
ends. Nothing changes without a GPU, nor where a cluster's scheduler gave the job its devices.

No step depends on this module's text: which device computes is no part of a result.
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

from workflow_scripts.errors import UserError, run_command

# On the node itself: jobs of other nodes have other devices, and locks over NFS are not to be
# trusted. Not $TMPDIR, which schedulers set to a folder for each job.
FOLDER = f"/tmp/gpu-slots-{os.geteuid()}"
SCHEDULER_JOBS = ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID")
SECONDS_BETWEEN_LOOKS = 0.1
# without persistence mode the driver loads first, on a machine with many devices for long
NVIDIA_SMI_SECONDS = 60


class Device(NamedTuple):
    """A GPU or a MIG part of one: `name` as CUDA_VISIBLE_DEVICES has it, `slot` of its file.

    The slot is the number of nvidia-smi (the UUID of a MIG part), whatever the name is.
    """

    name: str
    slot: str


def scheduler_job() -> str | None:
    """Return the id of the scheduler's job that this process is in, None outside of one."""
    for variable in SCHEDULER_JOBS:
        if variable in os.environ:
            return os.environ[variable]
    # SGE's own name is too common to be trusted alone
    return os.environ.get("JOB_ID") if "SGE_ROOT" in os.environ else None


def machine_devices() -> tuple[list[Device], dict[str, str]]:
    """Return the devices that nvidia-smi lists, none without it, and the number of each GPU's UUID.

    A GPU that is cut into MIG parts is none itself. Raises `UserError` if nvidia-smi hangs.
    """
    try:
        listing = subprocess.run(
            ["nvidia-smi", "-L"], capture_output=True, text=True, timeout=NVIDIA_SMI_SECONDS
        )
    except OSError:
        return [], {}
    except subprocess.TimeoutExpired:
        raise UserError(
            f"nvidia-smi -L gave no answer in {NVIDIA_SMI_SECONDS} s; mend the driver, or name the "
            "GPUs to use by their numbers in CUDA_VISIBLE_DEVICES"
        ) from None
    if listing.returncode:
        return [], {}
    parts: dict[str, list[str]] = {}
    numbers: dict[str, str] = {}
    for line in listing.stdout.splitlines():
        if gpu := re.match(r"GPU (\d+): .*\(UUID: (GPU-[^)]+)\)", line):
            numbers[gpu[2]] = gpu[1]
            parts[gpu[1]] = []
        elif part := re.match(r"\s+MIG .*\(UUID: (MIG-[^)]+)\)", line):
            next(reversed(parts.values())).append(part[1])
    names = [name for number, own in parts.items() for name in own or [number]]
    return [Device(name, name) for name in names], numbers


def named_devices(names: str) -> list[Device]:
    """Return the devices of a value of CUDA_VISIBLE_DEVICES: numbers, UUIDs or starts of UUIDs.

    As CUDA reads it, the first entry that names no device ends the list.
    """
    entries = [entry.strip() for entry in names.split(",")]
    valid = takewhile(lambda entry: entry.isdigit() or entry[:4] in ("GPU-", "MIG-"), entries)
    entries = list(dict.fromkeys(valid))
    numbers = machine_devices()[1] if any(entry[:4] == "GPU-" for entry in entries) else {}

    def slot(entry: str) -> str:
        if entry.isdigit():
            return str(int(entry))
        found = [number for uuid, number in numbers.items() if uuid.startswith(entry)]
        return found[0] if len(found) == 1 else entry.replace("/", "-")

    return [Device(entry, slot(entry)) for entry in entries]


def visible_devices() -> list[Device]:
    """Return the devices that this process may use: those named, or else all of the machine.

    In a scheduler's job they are those that it named, none where it named none. Their slots are
    that job's own, since it may number its devices anew, from 0 in every job.
    """
    names, job = os.environ.get("CUDA_VISIBLE_DEVICES"), scheduler_job()
    if names is None:
        return [] if job else machine_devices()[0]
    prefix = f"{job.replace('/', '-')}-" if job else ""
    return [Device(device.name, prefix + device.slot) for device in named_devices(names)]


def open_folder(path: str | Path) -> Path:
    """Return the folder of the locks, made where there is none.

    Raises `UserError` if somebody else could have put it there or can write to it.
    """
    path = Path(path)
    with suppress(FileExistsError):
        path.mkdir(mode=0o700)
    found = path.lstat()
    own = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    if not own or found.st_mode & 0o022:
        raise UserError(
            f"{path}: is not a folder that only you can write to, so the locks of GPUs in it are "
            "not to be trusted; remove it, or ask its owner to"
        )
    return path


def lock(file: Path, wait: bool = False) -> int | None:
    """Return a descriptor that holds the lock on a file, or None if another process has it.

    Raises `OSError` where the file system has no locks.
    """
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    # so that what tidies up /tmp by age leaves it
    os.utime(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
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

    First come, first served: who waits stands at the lock of a queue, which the kernel hands on
    in the order of arrival, and only its holder looks for free devices. So nobody holds one device
    while waiting for another, and a job that wants several is not overtaken by those that want one.
    (One that is killed in the queue may shuffle those behind it: they all stand in line anew.)
    Jobs that may use other devices stand in a queue of their own.
    """
    slots = ",".join(sorted(device.slot for device in devices))
    queue = folder / f"queue-{hashlib.sha256(slots.encode()).hexdigest()[:16]}"
    told = False

    def tell() -> None:
        nonlocal told
        if not told:
            names = ", ".join(device.name for device in devices)
            wanted = "a free GPU" if gpus == 1 else f"{gpus} free GPUs"
            print(f"waiting for {wanted} of {names}", file=sys.stderr, flush=True)
        told = True

    turn = lock(queue)
    if turn is None:
        tell()
        turn = lock(queue, wait=True)
    assert turn is not None
    while not (held := lock_free_ones(folder, devices, gpus)):
        tell()
        time.sleep(SECONDS_BETWEEN_LOOKS)
    os.close(turn)
    return held


def enough(devices: list[Device], gpus: int) -> list[Device]:
    """Return the devices that serve a job of `gpus`; `UserError` if they are too few.

    A program sees one MIG part and no more, so a job of several takes none.
    """
    serving = [device for device in devices if gpus == 1 or not device.name.startswith("MIG-")]
    if len(serving) < gpus:
        names = ", ".join(device.name for device in serving) or "MIG parts alone"
        raise UserError(
            f"{gpus} GPUs are asked for one job, but there are {len(serving)} ({names}); lower "
            "`processes.tuning` in the config, or name more in CUDA_VISIBLE_DEVICES"
        )
    return serving


def reserve(gpus: int, folder: str) -> None:
    """Reserve GPUs for this process, if there are any, and name them in CUDA_VISIBLE_DEVICES.

    A scheduler's job that was given no more than one of ours asks for is left as it is; one that
    was given more holds a whole run, whose jobs share its devices.
    """
    devices = visible_devices() if gpus else []
    if not devices or (scheduler_job() and len(devices) <= gpus):
        return
    devices = enough(devices, gpus)
    try:
        held = take_slots(open_folder(folder), devices, gpus)
    except OSError as error:
        print(
            f"warning: {folder}: no locks here ({error.strerror}), so jobs may share a GPU; "
            "run one at a time with --resources gpu=1",
            file=sys.stderr,
        )
        return
    for descriptor in held.values():
        os.set_inheritable(descriptor, True)
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(device.name for device in held)
    # the numbers of nvidia-smi; CUDA by itself puts the fastest device first
    os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")


def list_devices(folder: str) -> None:
    """Print a line for each device: its name, and whether a job has it."""
    place = open_folder(folder)
    for device in visible_devices():
        descriptor = lock(place / device.slot)
        print(device.name, "taken" if descriptor is None else "free", sep="\t")
        if descriptor is not None:
            os.close(descriptor)


def main(argv: list[str] | None = None) -> None:
    argv = sys.argv[1:] if argv is None else argv
    at = argv.index("--") if "--" in argv else len(argv)
    options, command = argv[:at], argv[at + 1 :]
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.usage = "%(prog)s (--gpus N -- COMMAND... | --list)"
    parser.add_argument("--gpus", type=int, default=1, help="devices that the command wants")
    parser.add_argument("--list", action="store_true", help="print the devices and who is free")
    parser.add_argument("--folder", default=FOLDER, help="where the locks are")
    arguments = parser.parse_args(options)
    if arguments.list:
        list_devices(arguments.folder)
        return
    if arguments.gpus < 0 or not command:
        raise UserError("give --gpus N, 0 or more, then -- and the command to run")
    reserve(arguments.gpus, arguments.folder)
    # Python ignores it, and what is ignored stays so in the command
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise UserError(f"{command[0]}: {error.strerror}; install it or mend PATH") from error


if __name__ == "__main__":
    run_command(main)

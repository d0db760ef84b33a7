"""A Python process that has imported what steps import, and forks for each further step.

Most of a short step's time goes into importing torch and transformers. The first step of a command
starts from scratch and records the names of the packages that it imported. Before the second one
the server imports them too, and from then on every such step is a fork that starts with them. None
of the project's own code is kept: each step reads it again, so that an edit takes effect at once.

The server ends with the run, or with the group of jobs that a cluster node runs. Its client is
`fork_client`. A step that cannot be forked runs in a new Python as usual: in another environment,
without Linux, after a package started a thread (a fork would lose it), or with CUDA in use in the
server (no fork could use it). So each step on a GPU starts CUDA itself.
"""

import atexit
import ctypes
import gc
import importlib
import json
import os
import runpy
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workflow_scripts.imports import calm_threads
from workflow_scripts.project_files import step_variables
from workflow_scripts.runtime.fork_client import SETTING, SOCKET, receive_request

if TYPE_CHECKING:
    # whose imports the server, a process of its own, does not need
    from workflow_scripts.runtime.snakemake_run import SnakemakeRun

# What may differ from job to job; all else that a package reads as it is imported must be the same.
THREADS = [
    f"{library}_NUM_THREADS" for library in ("OMP", "GOTO", "OPENBLAS", "MKL", "NUMEXPR")
] + ["VECLIB_MAXIMUM_THREADS"]
OWN = {*THREADS, "CUDA_DEVICE_ORDER", "CUDA_VISIBLE_DEVICES"}
OWN |= {"OLDPWD", "PWD", "SHLVL", "_", SETTING}
OWN |= {"STEP_MEMORY_MB", "STEP_USAGE", "TEMP", "TEMPDIR", "TMP", "TMPDIR"}
# Of the server: no threads, for they would not survive a fork. Those of numerical libraries, and
# the one that the allocator of Arrow starts as pandas brings it.
ALONE = dict.fromkeys(THREADS, "1") | {"JE_ARROW_MALLOC_CONF": "background_thread:false"}
# a package that asks torch for a GPU as it is imported does not start CUDA
ALONE |= {"PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
OWN |= ALONE.keys()
# how variables begin that SLURM gives to a step of a job
OF_SLURM = ("SLURM", "SRUN_", "PMI")
_PR_SET_PDEATHSIG = 1


def start_fork_server(run: "SnakemakeRun") -> None:
    """Start the server for the steps of a workflow, where they run here and as they are."""
    if not run.runs_steps_here or sys.platform != "linux" or os.environ.get(SETTING):
        return
    folder = tempfile.mkdtemp(prefix="fork-server-")
    server = subprocess.Popen(
        ["python", "-m", "workflow_scripts.runtime.fork_server", folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | step_variables() | ALONE,
        # Ctrl-C is for the steps: who asked for one hands it on
        start_new_session=True,
    )
    os.environ[SETTING] = folder
    # its standard input is held until this process ends, and the server with it
    atexit.register(server.communicate)


def serve_group(run: "SnakemakeRun") -> None:
    """Start the server of a group of jobs, on its node of a cluster, with the first of them.

    Snakemake calls no `onstart` there.
    """

    def hear(event: str, record: Any) -> None:
        if event == "job_info" and run.is_group:
            # nothing where there is one
            start_fork_server(run)

    run.watch(hear)


def same_settings(environment: dict[str, str], own: dict[str, str]) -> bool:
    """Tell whether packages imported under one environment do for the other."""
    mine, other = (
        {k: v for k, v in settings.items() if k not in OWN and not k.startswith(OF_SLURM)}
        for settings in (environment, own)
    )
    return mine == other


def cuda_has_started(descriptors: Path = Path("/proc/self/fd")) -> bool:
    """Tell whether CUDA has started in this process: it opens a device, as a look at GPUs does not.

    `descriptors` is the folder of the links of the files that the process has open.
    """
    targets = []
    for descriptor in descriptors.iterdir():
        with suppress(OSError):  # that of the listing itself
            targets.append(os.readlink(descriptor))
    return "/dev/nvidia-uvm" in targets


class Server:
    """Answers requests one by one; a step is a child, which dies with who asked or with this."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._learnt: set[str] = set()
        self._settings = dict(os.environ)
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(folder / SOCKET))
        self._listener.listen(1000)
        self._steps: dict[int, socket.socket] = {}
        self._run_lives = True
        self._watch(self._listener, self._accept)
        self._watch(0, self._end)

    def serve(self) -> dict[str, Any] | None:
        """Serve until the run has ended. In each child: return its request."""
        while self._run_lives or self._steps:
            for key, _ in self._selector.select():
                if (request := key.data()) is not None:
                    return request
        return None

    def _watch(self, what: Any, react: Callable[[], dict[str, Any] | None]) -> None:
        self._selector.register(what, selectors.EVENT_READ, react)

    def _end(self) -> None:
        # the run writes nothing: it has ended
        self._selector.unregister(0)
        self._run_lives = False

    def _accept(self) -> dict[str, Any] | None:
        client, _ = self._listener.accept()
        try:
            request = receive_request(client)
        except (OSError, ValueError):
            client.close()
            return None
        self._learn(request["module"])
        alone = len(os.listdir("/proc/self/task")) == 1 and not cuda_has_started()
        fits = alone and same_settings(request["environment"], self._settings)
        own, child = os.getpid(), os.fork() if fits else None
        if child == 0:
            # end with the server: without it the step would lose its outputs and run for nobody
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != own:
                os._exit(1)
            self._selector.close()
            for own_to_server in (self._listener, client, *self._steps.values()):
                own_to_server.close()
            return request | {"learnt": self._list_of(request["module"])}
        for descriptor in request["descriptors"]:
            os.close(descriptor)
        if child is None:
            client.close()  # which says no
            return None
        self._steps[child] = client
        with suppress(OSError):  # who is gone by now is noticed below
            client.sendall(b"y")
        pid_file = os.pidfd_open(child)
        self._watch(pid_file, lambda: self._reap(child, pid_file))
        self._watch(client, lambda: self._hand_on(child, client))
        return None

    def _reap(self, child: int, pid_file: int) -> None:
        self._selector.unregister(pid_file)
        os.close(pid_file)
        _, status = os.waitpid(child, 0)
        client = self._steps.pop(child)
        with suppress(KeyError):
            self._selector.unregister(client)
        with suppress(OSError):
            client.sendall(f"{status}\n".encode())
        client.close()

    def _hand_on(self, child: int, client: socket.socket) -> None:
        """Hand a signal on to the step, and kill one whose client is gone."""
        if child not in self._steps:
            return
        try:
            sent = client.recv(1)
        except OSError:
            sent = b""
        if not sent:
            self._selector.unregister(client)
        os.kill(child, sent[0] if sent else signal.SIGKILL)

    def _list_of(self, module: str) -> Path:
        return self._folder / f"{module}.json"

    def _learn(self, module: str) -> None:
        """Import what a step of this command has imported, once it has said so."""
        names = self._list_of(module)
        if module in self._learnt or not names.is_file():
            return
        self._learnt.add(module)
        calm_threads()
        for name in json.loads(names.read_text()):
            # some are made by others, and have no file to be imported from
            with suppress(Exception):
                importlib.import_module(name)
        gc.freeze()


def become_step(request: dict[str, Any]) -> None:
    """Run the command of a request in this process, as `python -m` would."""
    for descriptor, target in zip(request["descriptors"], range(3), strict=True):
        os.dup2(descriptor, target)
        os.close(descriptor)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    if not sys.flags.safe_path:
        sys.path[0] = request["folder"]
    if (threads := int(os.environ.get("OMP_NUM_THREADS") or 1)) > 1:
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads)
    for name in [name for name in sys.modules if name.split(".")[0] == "workflow_scripts"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    before, names = set(sys.modules), request["learnt"]
    sys.argv[1:] = request["arguments"]
    gc.enable()
    try:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    finally:
        if not names.exists():
            new = [name for name in sys.modules if name not in before]
            new = [name for name in new if not name.startswith(("workflow_scripts", "__"))]
            temporary = names.with_suffix(f".{os.getpid()}")
            with suppress(OSError):
                temporary.write_text(json.dumps(new))
                temporary.replace(names)


def main() -> None:
    # for the steps, which end as they like, and the server with the run: SLURM sends SIGTERM to all
    # processes of a job whose time is over
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # collections would go through all that the packages hold, in each child
    gc.disable()
    folder = Path(sys.argv[1])
    request = Server(folder).serve()
    if request is None:
        shutil.rmtree(folder, ignore_errors=True)
        return
    code: object = 0
    try:
        become_step(request)
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if not isinstance(code, int | None):
        print(code, file=sys.stderr)
        code = 1
    # As always, but for what takes all packages to pieces: each page of theirs would be copied.
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    main()

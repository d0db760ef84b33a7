"""A real SLURM of one node in a folder, without systemd: munge, slurmctld, slurmd, accounting.

The daemons are those of Debian's packages slurm-wlm, slurmdbd, munge and mariadb-server; everything
that they write lies in the folder, nothing in /etc or /var.
"""

import contextlib
import os
import pwd
import secrets
import shlex
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch")
ACCOUNTING_PROGRAMS = ("slurmdbd", "mariadbd", "mariadb-install-db", "mariadb")
CLUSTER = "one-node"
SECONDS_TO_START = 60


class OneNodeSlurm:
    """A cluster whose files are below `folder`; `start` and `stop` its daemons.

    With `accounting` a MariaDB server and slurmdbd run too, so that `sacct` answers; without,
    `sacct` is installed but fails, as on a site without a database.
    """

    def __init__(self, folder: Path, accounting: bool) -> None:
        self.folder = folder.absolute()
        self.accounting = accounting
        self.host = socket.gethostname().split(".")[0]
        self.configuration = self.folder / "etc" / "slurm.conf"

    @property
    def environment(self) -> dict[str, str]:
        """What SLURM's commands need in their environment."""
        path = os.pathsep.join([str(self.folder / "bin"), _path()])
        return {"SLURM_CONF": str(self.configuration), "PATH": path}

    def start(self) -> None:
        """Start all daemons and wait until the node takes jobs."""
        require_programs(PROGRAMS + (ACCOUNTING_PROGRAMS if self.accounting else ()))
        for name in ("bin", "etc", "run", "log", "state", "spool", "mysql"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        self._start_munge()
        self._write_configuration()
        self._write_srun()
        if self.accounting:
            self._start_database()
            self._start("slurmdbd", "-D")
            self._wait("slurmdbd", lambda: self._answers("sacctmgr", "-n", "show", "cluster"))
            if CLUSTER not in self.command("sacctmgr", "-n", "show", "cluster"):
                self.command("sacctmgr", "-i", "add", "cluster", CLUSTER)
        self._start("slurmctld", "-D", "-c")
        self.start_node()
        self._wait("the node", lambda: self.command("sinfo", "-h", "-o", "%t").strip() == "idle")

    def start_node(self) -> None:
        """Start slurmd, which runs the jobs."""
        self._start("slurmd", "-D")

    def stop_node(self) -> None:
        """Stop slurmd; running jobs continue without it."""
        self._stop("slurmd")

    def stop(self) -> None:
        """Cancel what runs and stop all daemons."""
        if (self.folder / "run" / "slurmctld.pid").is_file():
            self._answers("scancel", "--me")
            time.sleep(1)
        for name in ("slurmd", "slurmctld", "slurmdbd", "mariadbd", "munged"):
            self._stop(name)

    def command(self, *words: str) -> str:
        """Return what a command of SLURM prints; raises `RuntimeError` with its errors."""
        environment = os.environ | self.environment
        result = subprocess.run(words, env=environment, capture_output=True, text=True)
        if result.returncode:
            raise RuntimeError(f"{' '.join(words)}: {result.stderr.strip()}")
        return result.stdout

    def jobs(self, *states: str) -> list[tuple[str, str]]:
        """Return (id, comment) of the jobs in the queue, those in some states only if given."""
        chosen = ["--states", ",".join(states)] if states else []
        lines = self.command("squeue", "-h", "-o", "%i|%k", *chosen).splitlines()
        return [(line.split("|")[0], line.split("|", 1)[1]) for line in lines]

    def _start_munge(self) -> None:
        key = self._secret("munge.key", secrets.token_bytes(1024))
        run, log = self.folder / "run", self.folder / "log"
        # --force: the folder may be below one that others can write to, such as /tmp
        self._start(
            *("munged", "--foreground", "--force", f"--key-file={key}"),
            *(f"--socket={run / 'munge.socket'}", f"--pid-file={run / 'munged-own.pid'}"),
            *(f"--seed-file={key.with_name('munge.seed')}", f"--log-file={log / 'munged.log'}"),
        )
        self._wait("munged", (run / "munge.socket").exists)

    def _start_database(self) -> None:
        data, socket_file = self.folder / "mysql", self.folder / "run" / "mysql.socket"
        user = _user()
        if not (data / "mysql").is_dir():
            subprocess.run(
                [
                    *("mariadb-install-db", "--no-defaults", f"--user={user}"),
                    *(f"--datadir={data}", "--auth-root-authentication-method=normal"),
                    "--skip-test-db",
                ],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        self._start(
            *("mariadbd", "--no-defaults", f"--user={user}", f"--datadir={data}"),
            *(f"--socket={socket_file}", "--bind-address=127.0.0.1"),
            *(f"--port={self._port('database')}", "--innodb-buffer-pool-size=64M"),
        )
        client = ("mariadb", "--no-defaults", "-u", "root", f"--socket={socket_file}", "-e")
        self._wait("mariadbd", lambda: self._answers(*client, "select 1"))
        password = self._password()
        self.command(
            *client,
            "create database if not exists slurm_acct_db; "
            f"create or replace user slurm@'%' identified by '{password}'; "
            f"create or replace user slurm@localhost identified by '{password}'; "
            "grant all on slurm_acct_db.* to slurm@'%'; "
            "grant all on slurm_acct_db.* to slurm@localhost; flush privileges",
        )

    def _write_configuration(self) -> None:
        run, log = self.folder / "run", self.folder / "log"
        authentication = {
            "AuthType": "auth/munge",
            "AuthInfo": f"socket={run / 'munge.socket'}",
            "SlurmUser": _user(),
        }
        storage = (
            {
                "AccountingStorageType": "accounting_storage/slurmdbd",
                "AccountingStorageHost": "127.0.0.1",
                "AccountingStoragePort": self._port("slurmdbd"),
                # what the database's clients take for AuthInfo
                "AccountingStoragePass": run / "munge.socket",
            }
            if self.accounting
            else {"AccountingStorageType": "accounting_storage/none"}
        )
        devices = [self.folder / "etc" / f"nvidia{number}" for number in range(2)]
        for device in devices:
            device.touch()
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        settings = {
            "ClusterName": CLUSTER,
            "SlurmctldHost": f"{self.host}(127.0.0.1)",
            "SlurmctldPort": self._port("slurmctld"),
            "SlurmdPort": self._port("slurmd"),
            **authentication,
            "CredType": "cred/munge",
            "SlurmdUser": _user(),
            "SlurmctldPidFile": run / "slurmctld-own.pid",
            "SlurmdPidFile": run / "slurmd-own.pid",
            "SlurmctldLogFile": log / "slurmctld.log",
            "SlurmdLogFile": log / "slurmd.log",
            "StateSaveLocation": self.folder / "state",
            "SlurmdSpoolDir": self.folder / "spool",
            # no cgroups in a container: processes are followed by their parents, and memory is
            # looked at every second
            "ProctrackType": "proctrack/linuxproc",
            "TaskPlugin": "task/none",
            "JobAcctGatherType": "jobacct_gather/linux",
            "JobAcctGatherFrequency": 1,
            "JobAcctGatherParams": "OverMemoryKill",
            "SelectType": "select/cons_tres",
            "SelectTypeParameters": "CR_Core_Memory",
            "SchedulerType": "sched/backfill",
            # one user with jobs of seconds: looked at as soon as they come
            "SchedulerParameters": "batch_sched_delay=0,sched_interval=1,bf_interval=1",
            # how long ended jobs stay in the memory of slurmctld, for squeue; SLURM's default
            "MinJobAge": 300,
            "KillWait": 2,
            # a node that was away takes jobs again as soon as it is back
            "ReturnToService": 2,
            "GresTypes": "gpu",
            "MpiDefault": "none",
            "SwitchType": "switch/none",
            **storage,
        }
        lines = [f"{key}={value}" for key, value in settings.items()]
        lines += [
            f"NodeName={self.host} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} "
            f"RealMemory={memory * 9 // 10} Gres=gpu:{len(devices)} State=UNKNOWN",
            f"PartitionName=main Nodes={self.host} Default=YES MaxTime=INFINITE State=UP",
        ]
        self.configuration.write_text("\n".join(lines) + "\n")
        self.configuration.with_name("gres.conf").write_text(
            "".join(f"NodeName={self.host} Name=gpu File={device}\n" for device in devices)
        )
        if self.accounting:
            accounting = {
                **authentication,
                "DbdHost": self.host,
                "DbdAddr": "127.0.0.1",
                "DbdPort": self._port("slurmdbd"),
                "PidFile": run / "slurmdbd-own.pid",
                "LogFile": log / "slurmdbd.log",
                "StorageType": "accounting_storage/mysql",
                "StorageHost": "127.0.0.1",
                "StoragePort": self._port("database"),
                "StorageUser": "slurm",
                "StoragePass": self._password(),
                "StorageLoc": "slurm_acct_db",
            }
            file = self.configuration.with_name("slurmdbd.conf")
            file.touch(mode=0o600)
            file.write_text("".join(f"{key}={value}\n" for key, value in accounting.items()))

    def _write_srun(self) -> None:
        """Write an srun that knows where the configuration is.

        snakemake-executor-plugin-slurm-jobstep takes SLURM_CONF, like most of SLURM's variables,
        out of the environment of srun, which then looks in /etc.
        """
        srun = self.folder / "bin" / "srun"
        program = shutil.which("srun", path=_path())
        configuration = shlex.quote(str(self.configuration))
        srun.write_text(f'#!/bin/sh\nSLURM_CONF={configuration} exec {program} "$@"\n')
        srun.chmod(0o755)

    def _port(self, name: str) -> int:
        """Return the port of a daemon: a free one, chosen once."""
        file = self.folder / "etc" / f"{name}.port"
        if not file.exists():
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                file.write_text(str(probe.getsockname()[1]))
        return int(file.read_text())

    def _password(self) -> str:
        return self._secret("database.password", secrets.token_hex(16).encode()).read_text()

    def _secret(self, name: str, text: bytes) -> Path:
        """Return a file that only this user reads, made with a text where there is none."""
        file = self.folder / "etc" / name
        if not file.exists():
            file.touch(mode=0o600)
            file.write_bytes(text)
        return file

    def _start(self, *words: str) -> None:
        name = words[0]
        with (self.folder / "log" / f"{name}.out").open("a") as log:
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            own = {"env": os.environ | self.environment, "start_new_session": True}
            process = subprocess.Popen(words, **own, **streams)
        (self.folder / "run" / f"{name}.pid").write_text(str(process.pid))

    def _stop(self, name: str) -> None:
        file = self.folder / "run" / f"{name}.pid"
        if not file.is_file():
            return
        pid = int(file.read_text())
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                break
            if _ended(pid, seconds=15):
                break
        file.unlink()

    def _wait(self, what: str, ready: Callable[[], bool]) -> None:
        end = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):
                if ready():
                    return
            time.sleep(0.2)
        raise RuntimeError(f"{what} does not answer; logs are in {self.folder / 'log'}")

    def _answers(self, *words: str) -> bool:
        try:
            self.command(*words)
        except RuntimeError:
            return False
        return True


def require_programs(names: tuple[str, ...]) -> None:
    """Raise `RuntimeError` for programs that are not installed."""
    if missing := [name for name in names if shutil.which(name, path=_path()) is None]:
        remedy = "`make cluster-packages` installs them (Debian)"
        raise RuntimeError(f"not installed: {', '.join(missing)}; {remedy}")


def _path() -> str:
    # Debian puts daemons in sbin, which is not on every user's path
    return os.pathsep.join([os.environ["PATH"], "/usr/local/sbin", "/usr/sbin", "/sbin"])


def _user() -> str:
    return pwd.getpwuid(os.getuid()).pw_name


def _ended(pid: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        # a child of ours that has ended stays until it is waited for
        with contextlib.suppress(ChildProcessError):
            os.waitpid(pid, os.WNOHANG)
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False

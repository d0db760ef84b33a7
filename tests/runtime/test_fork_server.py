"""The fork server of a run, with real processes: steps of a copy of the package in a folder."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from same_everywhere import wait_for

from workflow_scripts.runtime.fork_server import ALONE, cuda_has_started

ASK = [sys.executable, "-m", "workflow_scripts.runtime.fork_client", "-m"]
STEP = "workflow_scripts.step"
# a package that takes long to import, and a module of the project, which are both noted
FILES = {
    "heavy.py": "open('imports', 'a').write('heavy ')",
    "workflow_scripts/own.py": "open('imports', 'a').write('own ')\nword = 'old'",
    "workflow_scripts/step.py": """
import heavy, os, signal, sys, time
from workflow_scripts.own import word
from workflow_scripts.command_main import run_command
def main():
    print(word, sys.argv[1:], os.environ.get("CUDA_VISIBLE_DEVICES"), os.getcwd(), __name__)
    print("warm" if b"fork_server" in open("/proc/self/cmdline", "rb").read() else "alone")
    print("threads", os.environ.get("OMP_NUM_THREADS"), file=sys.stderr)
    exec(sys.argv[1])
run_command(main)
""",
    "threaded.py": """
import threading, time
threading.Thread(target=time.sleep, args=[60], daemon=True).start()
""",
    "workflow_scripts/threads.py": "import threaded",
    # all that classifiers of texts bring
    "workflow_scripts/learn.py": "import pandas, pyarrow, sklearn.model_selection, torch",
}


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Return what asks the server of a run for a step, and the server's process."""
    shutil.copytree("workflow_scripts", tmp_path / "workflow_scripts")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORK_SERVER", folder := str(tmp_path / "server"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    os.mkdir(folder)
    command = [sys.executable, "-m", "workflow_scripts.runtime.fork_server", folder]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, env=settings(**ALONE))
    wait_for(lambda: Path(folder, "socket").exists())
    yield process
    process.kill()
    process.communicate()


def settings(**more):
    # pytest tells there which phase a test is in
    return {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"} | more


def step(code, module="workflow_scripts.step", wait=True, **environment):
    command, pipes = [*ASK, module, code, "a b"], {"stdout": -1, "stderr": -1, "text": True}
    process = subprocess.Popen(command, env=settings(**environment), **pipes)
    if not wait:
        return process
    out, errors = process.communicate(timeout=300)
    return process.returncode, out.split(), errors


def test_a_step_is_as_always_but_for_the_imports_of_packages(server, tmp_path):
    expected = ["old", "['pass',", "'a", "b']", str(tmp_path), "__main__", "warm"]
    for _ in range(3):
        code, out, errors = step("pass", CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS="3")
        assert (code, out, errors) == (0, expected, "threads 3\n")
    # the package in the first step and in the server, the project's own code in each step
    assert (tmp_path / "imports").read_text().split().count("heavy") == 2
    assert (tmp_path / "imports").read_text().split().count("own") == 3
    (tmp_path / "workflow_scripts/own.py").write_text("word = 'new'")
    assert step("pass")[1][0] == "new"
    # also of what the server has loaded itself
    with (tmp_path / "workflow_scripts/imports.py").open("a") as file:
        file.write("word = 'newer'\n")
    assert "newer" in step("from workflow_scripts import imports; print(imports.word)")[1]
    # of a job step of SLURM
    assert step("pass", SLURM_STEP_ID="3", SRUN_DEBUG="3")[1][-1] == "warm"
    # what packages may read as they are imported is other than the server's: alone, same result
    assert step("pass", HF_HOME="elsewhere")[1][-1] == "alone"


def test_a_step_with_a_gpu_of_its_own_is_forked_too(server, tmp_path, monkeypatch):
    """As a rule starts it: one of two devices is taken, and the step sees that one."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    show = "print(os.environ['CUDA_DEVICE_ORDER'])"
    command = f'source workflow_scripts/runtime/job.sh; on_gpu 1 python -m {STEP} "{show}"'
    slots = f"GPU_SLOTS='python -m workflow_scripts.runtime.gpu_slots --folder {tmp_path}/slots"
    words = ["bash", "-c", command.replace("; on_gpu", f"; {slots} --gpus'; on_gpu")]
    for _ in range(2):
        made = subprocess.run(words, env=settings(), capture_output=True, text=True, check=True)
        assert made.stdout.split()[-4:] == [str(tmp_path), "__main__", "warm", "PCI_BUS_ID"]
        assert " 5 " in made.stdout.replace("]", " ")


def test_a_server_in_which_cuda_has_started_is_noticed(tmp_path):
    assert not cuda_has_started()
    # a look at the devices opens this one
    (tmp_path / "3").symlink_to("/dev/nvidiactl")
    assert not cuda_has_started(tmp_path)
    (tmp_path / "4").symlink_to("/dev/nvidia-uvm")
    assert cuda_has_started(tmp_path)


def test_packages_of_classification_leave_the_server_without_threads(server):
    for module in ("learn", "learn", "step"):
        code, out, errors = step("pass", f"workflow_scripts.{module}")
        assert code == 0, errors
    assert out[-1] == "warm"


def test_a_step_ends_as_it_would_alone(server, tmp_path):
    assert step("sys.exit(3)")[0] == 3
    code, _, errors = step("1 / 0")
    assert code == 1 and errors.endswith("ZeroDivisionError: division by zero\n")
    mistake = "from workflow_scripts.errors import UserError\n"
    mistake += "raise UserError('a.txt', 'no such file', None)"
    assert step(mistake)[::2] == (2, "threads None\nerror: a.txt: no such file\n")
    assert step("os.kill(os.getpid(), signal.SIGKILL)")[0] == -signal.SIGKILL
    # a package with a thread of its own is not forked, since the thread would be lost
    assert [step("", "workflow_scripts.threads")[0] for _ in range(2)] == [0, 0]
    assert step("pass")[1][-1] == "alone"


def test_a_step_writes_what_it_used_where_it_succeeds(server, tmp_path):
    assert step("1 / 0", STEP_USAGE="failed.tsv")[0] == 1
    assert not (tmp_path / "failed.tsv").exists()
    spin = "while time.process_time() < 0.3: pass"
    with_gpus = ["workflow_scripts.runtime.gpu_slots", "--gpus", "1", "--", "python", "-m"]
    for module in (ASK, ASK[:2], [*ASK[:2], *with_gpus]):
        # from a shell, as in a rule: who forks counts until the exec, and this process is large
        command = ["bash", "-c", '"$0" "$@" && true', *module, "workflow_scripts.step"]
        command.append(spin + "\nos.system('sleep 0.2')")
        subprocess.run(command, env=settings(STEP_USAGE="u/x.tsv"), check=True)
        written = Path("u/x.tsv")
        names, values = (line.split("\t") for line in written.read_text().splitlines())
        written.unlink()
        used = dict(zip(names, values, strict=True))
        assert 0.3 <= float(used["cpu_time"]) < 3 and float(used["s"]) >= 0.4
        assert 5 < float(used["max_rss"]) < 500


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_to_who_asked_is_one_to_the_step(number, server, tmp_path):
    # closed in the statement: what a handler raises while a file that was dropped is closed is lost
    ready = "file = open('pid', 'w'); file.write(str(os.getpid())); file.close()"
    handler = "lambda *_: (print('to' + 'ld'), sys.exit(9))"
    code = f"[signal.signal(n, {handler}) for n in (2, 15)]; {ready}; time.sleep(60)"
    asking = step(code, wait=False)
    wait_for(lambda: Path("pid").exists() and Path("pid").read_text())
    asking.send_signal(number)
    told = number != signal.SIGKILL
    assert (asking.wait(120), "told" in asking.stdout.read()) == (9 if told else -9, told)
    wait_for(lambda: not Path("/proc", Path("pid").read_text()).exists())


def test_a_server_ends_with_its_run_and_its_steps_with_the_server(server, tmp_path):
    asking = step("open('pid', 'w').write('1'); time.sleep(1)", wait=False)
    wait_for(lambda: Path("pid").exists())
    server.stdin.close()
    assert asking.wait(120) == 0 and server.wait(120) == 0
    assert not (tmp_path / "server").exists()
    # nobody there: alone
    assert step("pass")[1][-1] == "alone"


def test_sigterm_to_all_ends_the_step_as_it_likes(server, tmp_path):
    ready = "file = open('pid', 'w'); file.write(str(os.getpid())); file.close()"
    handler = "signal.signal(15, lambda *_: (time.sleep(0.5), print('kept'), sys.exit(9)))"
    asking = step(f"{handler}; {ready}; time.sleep(60)", wait=False)
    wait_for(lambda: Path("pid").exists() and Path("pid").read_text())
    server.send_signal(signal.SIGTERM)
    os.kill(int(Path("pid").read_text()), signal.SIGTERM)
    assert (asking.wait(120), "kept" in asking.stdout.read()) == (9, True)
    # who sets no handler ends at once
    asking = step("open('other', 'w').write(str(os.getpid())); time.sleep(60)", wait=False)
    wait_for(lambda: Path("other").exists() and Path("other").read_text())
    os.kill(int(Path("other").read_text()), signal.SIGTERM)
    assert asking.wait(120) == -signal.SIGTERM


def test_a_step_dies_with_a_killed_server(server, tmp_path):
    asking = step("open('pid', 'w').write(str(os.getpid())); time.sleep(60)", wait=False)
    wait_for(lambda: Path("pid").exists() and Path("pid").read_text())
    server.kill()
    assert asking.wait(120) == -signal.SIGKILL
    wait_for(lambda: not Path("/proc", Path("pid").read_text()).exists())

"""`python -m workflow_scripts.runtime.fork_client -m MODULE ...`: a step by the run's fork server.

job.sh calls it where a run has one (`fork_server`). It ends as the step ends, and hands it the
signals that it gets itself; killed, it takes the step with it.
"""

import array
import json
import os
import signal
import socket
import sys
from typing import Any

# names the folder of the server's socket; anything that is no such folder turns it off
SETTING = "FORK_SERVER"
SOCKET = "socket"


def send_request(server: socket.socket, request: dict[str, Any]) -> None:
    text = json.dumps(request).encode()
    server.sendmsg(
        [len(text).to_bytes(8)],
        [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))],
    )
    server.sendall(text)


def receive_request(client: socket.socket) -> dict[str, Any]:
    """Return what was sent, with `descriptors`; raises `ValueError` where that is not whole."""
    head, descriptors, *_ = socket.recv_fds(client, 8, 3)
    with client.makefile("rb") as stream:
        text = stream.read(int.from_bytes(head))
    return json.loads(text) | {"descriptors": descriptors}


def ask(module: str, arguments: list[str]) -> int | None:
    """Return the wait status of a step that the server ran, None if it did not begin."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    with socket.socket(socket.AF_UNIX) as server:
        # signals that arrive before the handlers are set are held back until then
        before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        try:
            server.connect(f"{os.environ[SETTING]}/{SOCKET}")
            request = {"module": module, "arguments": arguments, "folder": os.getcwd()}
            send_request(server, request | {"environment": dict(os.environ)})
            if server.recv(1) != b"y":
                return None
            for number in numbers:
                signal.signal(number, lambda number, _: server.sendall(bytes([number])))
        except OSError:
            return None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        status = server.makefile().readline()
    return int(status) if status else signal.SIGKILL


def main() -> None:
    _, module, *arguments = sys.argv[1:]
    status = ask(module, arguments)
    if status is None:
        os.execvp("python", ["python", *sys.argv[1:]])
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()

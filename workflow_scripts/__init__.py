"""Steps of the Mirror-BERT workflow: one package per stage, one thin command per rule."""

import sys
from types import TracebackType


def _say_interrupted(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        print("interrupted", file=sys.stderr)
        raise SystemExit(130)
    sys.__excepthook__(kind, error, trace)


# of a command: Ctrl-C while modules are imported, before `command_main.run_command` is there
if sys.argv[:1] == ["-m"] or sys.argv[0].endswith("/mirror-bert"):
    sys.excepthook = _say_interrupted

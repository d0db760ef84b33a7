"""When the state of a tuning is saved, by a clock of the test's own."""

import os
import signal
from types import SimpleNamespace

import pytest
import torch

from workflow_scripts.tuning import tuning_state
from workflow_scripts.tuning.tuning_state import BestWeights, Progress, StateFile


class Run:
    """A run whose steps take a second, and whose clock is `now`."""

    def __init__(self, path, seconds, monkeypatch):
        self.now, self.saved, self.takes = 0.0, [], 0.0
        monkeypatch.setattr(tuning_state, "time", SimpleNamespace(monotonic=lambda: self.now))
        save = tuning_state.save_state

        def save_slowly(*given):
            save(*given)
            self.saved.append(self.now)
            self.now += self.takes

        monkeypatch.setattr(tuning_state, "save_state", save_slowly)
        self.state = StateFile(path, "digest", seconds)
        model = torch.nn.Linear(2, 1)
        optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler("cpu", enabled=False)
        self.given = ((model, optimiser, scaler), Progress(), BestWeights())

    def go_on(self, until, takes):
        """Return when states were saved; one takes so many seconds."""
        self.takes, self.saved = takes, []
        while self.now < until:
            self.now += 1
            if self.state.is_due():
                self.state.save(*self.given)
        return self.saved


@pytest.fixture
def run_of(tmp_path, monkeypatch):
    return lambda seconds: Run(tmp_path / "state", seconds, monkeypatch)


def test_states_that_take_no_time_are_saved_once_a_minute_and_the_first_sooner(run_of):
    assert run_of(60.0).go_on(250, takes=0) == [30, 90, 150, 210]


def test_a_state_that_takes_long_is_saved_in_a_twentieth_of_the_time(run_of):
    run = run_of(60.0)
    # 7 s each: 140 s between the end of one and the next
    assert run.go_on(500, takes=7) == [30, 177, 324, 471]
    # where saving becomes fast, after one more long pause it is once a minute again
    assert run.go_on(800, takes=1) == [618, 679, 740]
    long = run_of(60.0)
    saved = long.go_on(20_000, takes=50)
    assert len(saved) * 50 / long.now == pytest.approx(1 / 21, rel=0.05)


def test_without_a_pause_each_step_is_saved_however_long_it_takes(run_of):
    assert run_of(0.0).go_on(24, takes=7) == [1, 9, 17]


def test_a_signal_is_answered_before_the_next_state_is_due(run_of):
    run = run_of(60.0)
    run.go_on(31, takes=10)
    with run.state.saved_on_signals():
        assert not run.state.is_due()
        os.kill(os.getpid(), signal.SIGTERM)
        assert run.state.is_due()
        with pytest.raises(SystemExit, match="143"):
            run.state.save(*run.given)
    assert len(run.saved) == 2

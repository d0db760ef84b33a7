"""Locks on outputs: what a killed run left goes, what is held stays."""

from workflow_scripts.locking import drop_left_lock, sole_run


def test_a_lock_that_a_killed_run_left_is_removed_and_one_that_is_held_is_not(tmp_path):
    index, lock = tmp_path / "index", tmp_path / ".index.lock"
    drop_left_lock(index)
    lock.touch()
    drop_left_lock(index)
    assert not lock.exists()
    with sole_run("--index", index):
        drop_left_lock(index)
        assert lock.exists()
    assert not lock.exists()

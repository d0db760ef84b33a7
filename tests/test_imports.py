"""The garbage collector during imports: off within, as before afterwards, also after an error."""

import gc

import pytest

from workflow_scripts.imports import quick_imports


@pytest.mark.parametrize("enabled", [True, False])
def test_the_collector_is_off_within_and_as_before_afterwards(enabled):
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    try:
        with quick_imports():
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
        with pytest.raises(ImportError), quick_imports():
            raise ImportError
        assert gc.isenabled() == enabled
    finally:
        gc.unfreeze()
        (gc.enable if was_enabled else gc.disable)()

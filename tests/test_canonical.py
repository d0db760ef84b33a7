import json

from hypothesis import given
from hypothesis import strategies as st

from workflow_scripts.canonical import canonical

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), JSON, max_size=6), st.randoms())
def test_order_of_keys_does_not_matter_and_nothing_is_lost(block, random):
    keys = list(block)
    random.shuffle(keys)
    assert canonical({key: block[key] for key in keys}) == canonical(block)
    assert json.loads(canonical(block)) == block


def test_two_equal_typed_values_that_swap_places_differ():
    swapped = {"dropout": 0.2, "drophead": 0.1}
    assert canonical({"dropout": 0.1, "drophead": 0.2}) != canonical(swapped)

"""The gap that an absent key falls into, and a view that remembers it."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from iavl import MultiStore, Tree, engine
from tests.sampling import rounds

KEYS = st.binary(min_size=1, max_size=3).map(lambda tail: b"k/" + tail)


@settings(max_examples=rounds(50, 200), deadline=None)
@given(st.sets(KEYS, max_size=40), KEYS)
def test_gap_holds_the_key_and_no_key_of_the_tree(present, asked):
    tree = Tree()
    tree.apply([(key, b"v") for key in sorted(present)])
    tree.commit()
    value, (low, high) = engine.active.find_or_gap(tree.committed, asked)
    if asked in present:
        assert value == b"v"
        return
    assert value is None
    assert low < asked
    assert high is None or asked < high
    assert not [key for key in present if low < key and (high is None or key < high)]


@settings(max_examples=rounds(25, 100), deadline=None)
@given(
    st.lists(
        st.tuples(st.lists(st.tuples(KEYS, st.booleans()), max_size=8), st.lists(KEYS, max_size=12)),
        max_size=8,
    ),
    st.sampled_from([0, 1, 3, 10, 1000]),
)
def test_view_answers_as_a_dictionary_whatever_was_asked_before(blocks, remember):
    store, model = MultiStore(None, ["s"], remember=remember), {}
    for writes, asked in blocks:
        changes = {key: (b"v" if keep else None) for key, keep in writes}
        store.apply({"s": sorted(changes.items())})
        store.commit()
        for key, value in changes.items():
            if value is None:
                model.pop(key, None)
            else:
                model[key] = value
        for key in asked:
            assert store.store("s").get(key) == model.get(key)


def test_following_keys_cost_no_descent(monkeypatch):
    store = MultiStore(None, ["s"], remember=20)  # too few for all keys
    store.apply({"s": [(b"acks/%d" % n, b"v") for n in range(10, 60)]})
    store.commit()
    view, descents, there = store.store("s"), [], engine.active.find_or_gap

    def counted(root, key):
        descents.append(key)
        return there(root, key)

    monkeypatch.setattr(engine, "active", replace(engine.active, find_or_gap=counted))
    assert [view.get(b"acks/%d" % n) for n in range(60, 90)] == [None] * 30
    assert descents == [b"acks/60"]

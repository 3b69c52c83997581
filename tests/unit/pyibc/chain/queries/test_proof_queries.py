"""pyibc.node.v1.Query/Proofs: what store queries with proofs tell, many at once."""

import pytest

from pyibc.chain.queries.store_query import PROOFS, ProofQueries
from pyibc.core.channel.types import Order
from pyibc.core.comet import inflate
from pyibc.core.errors import OutOfGas, StateNotFound
from pyibc.core.height import Height
from pyibc.core.host.gas import READ_BYTE, READ_FLAT, GasMeter
from pyibc.core.paths import STORE_NAME
from pyibc.proto.pyibc.node.v1.query_pb2 import QueryProofsRequest, QueryProofsResponse
from pyibc.testing.pair import two_chains


@pytest.fixture(scope="module")
def app():
    chains = two_chains()
    chains.open("transfer", Order.UNORDERED, "ics20-1")
    yield chains.a.chain.app
    chains.close()


def there(app) -> list[bytes]:
    entries = app.store.iterate_at(STORE_NAME, b"", None, app.store.version)
    return [key for key, _ in entries][:20]


def asked(app, keys, height: int = 0, store: str = STORE_NAME):
    request = QueryProofsRequest(store=store, keys=keys).SerializeToString()
    return app.query(PROOFS, request, height)


def test_they_are_those_of_store_queries(app):
    keys = [*there(app), b"absent", there(app)[0]]
    for height in (app.store.version, app.store.version - 1):
        answer = asked(app, keys, height)
        assert (answer.code, answer.height) == (0, height)
        found = QueryProofsResponse.FromString(answer.value)
        assert found.height == height
        alone = [app.query(f"/store/{STORE_NAME}/key", key, height, prove=True) for key in keys]
        assert [each.value for each in found.entries] == [each.value for each in alone]
        assert [each.proof for each in found.entries] == [each.proof[0].data for each in alone]
        assert {each.proof[1].data for each in alone} == {found.store_proof}
    assert found.entries[-2].value == b""
    assert found.entries[0].value


def test_an_answer_is_deflated_where_that_is_asked_for(app):
    request = QueryProofsRequest(store=STORE_NAME, keys=there(app), deflate=True)
    told = QueryProofsResponse.FromString(app.query(PROOFS, request.SerializeToString(), 0).value)
    whole = asked(app, there(app)).value
    assert inflate(told.deflated, len(whole)) == whole
    assert len(told.deflated) < len(whole) / 2
    told.ClearField("deflated")
    assert told == QueryProofsResponse()


def test_the_last_height_is_asked_for_by_0(app):
    answer = asked(app, there(app)[:1])
    assert answer.height == QueryProofsResponse.FromString(answer.value).height == app.store.version


@pytest.mark.parametrize(
    ("keys", "height", "store", "why"),
    [
        ([], 0, STORE_NAME, "no key, or no such store"),
        ([b"key"], 0, "nothing", "no key, or no such store"),
        ([b"key", b""], 0, STORE_NAME, "query cannot be zero length"),
    ],
)
def test_what_cannot_be_proved_is_refused(app, keys, height, store, why):
    answer = asked(app, keys, height, store)
    assert (answer.codespace, answer.code, answer.value) == ("sdk", 18, b"")
    assert why in answer.log


def test_h236_each_entry_is_paid_for_and_each_of_its_bytes(app):
    keys, queries = there(app)[:5], ProofQueries(app.store)

    class Paying:
        height = Height(0, app.store.version)
        gas = GasMeter()

    request = QueryProofsRequest(store=STORE_NAME, keys=keys)
    Paying.gas.reset(10**9)
    found = queries.answer(Paying, request)
    price = sum(READ_FLAT + READ_BYTE * each.ByteSize() for each in found.entries)
    assert Paying.gas.used == price
    Paying.gas.reset(price - 1)
    with pytest.raises(OutOfGas):
        queries.answer(Paying, request)


def test_a_pruned_height_is_refused_by_name(app):
    class Pruned:
        height = Height(0, 10**6)
        gas = GasMeter()

    Pruned.gas.reset(10**9)
    with pytest.raises(StateNotFound, match="1000000"):
        ProofQueries(app.store).answer(Pruned, QueryProofsRequest(store=STORE_NAME, keys=[b"key"]))

"""The port keeper."""

import pytest

from keepers.port import PortKeeper, PortOwners
from pyibc.core.application.services import PortOwner, PortPrefix
from pyibc.core.errors import InvalidRoute, PortExists


@pytest.mark.parametrize("port_id", ["", "transfe", "transfer2", "Transfer"])
def test_no_application(port_id):
    with pytest.raises(InvalidRoute) as refused:
        PortKeeper({"transfer": "one"}).route(port_id)
    assert refused.value.port_id == port_id


@pytest.mark.parametrize(
    ("first", "then"),
    [(PortPrefix("ica-"), PortPrefix("ica-c")), (PortPrefix("ica-"), "ica-"), ("ica-", PortPrefix("ica-"))],
)
def test_an_owners_own_ports_and_prefixes_do_not_overlap(first, then):
    """As ibc-go's router refuses them."""
    owners, one = PortOwners(), PortOwner("one")
    owners.claim(one, first)
    assert owners.conflict(one, then) == (first, one)
    with pytest.raises(PortExists):
        owners.claim(one, then)
    assert owners.seal() == (first,)


def test_an_owner_may_have_ports_below_its_own_prefix_and_claim_twice():
    owners, owner = PortOwners(), PortOwner("one")
    for key in (PortPrefix("ica-"), "ica-host", "mock", "mock", PortPrefix("ica-")):
        owners.claim(owner, key)
    assert owners.seal() == ("ica-host", "mock", PortPrefix("ica-"))
    assert all(owners.owns(owner, port) for port in ("ica-host", "ica-7", "mock"))
    assert not owners.owns(PortOwner("pretender", "mock", PortPrefix("ica-")), "ica-7")
    assert owners.owner_of("oracle") is None
    with pytest.raises(InvalidRoute):
        owners.claim(owner, "late")
    owners.claim(owner, "mock")

"""The port keeper."""

import pytest

from ibc_core.application.ports import PortOwner, PortPrefix
from ibc_core.errors import InvalidRoute, PortExists
from keepers.port import PortKeeper, PortOwners


@pytest.mark.parametrize("port_id", ["", "transfe", "transfer2", "Transfer"])
def test_no_application(port_id):
    with pytest.raises(InvalidRoute) as refused:
        PortKeeper({"transfer": "one"}).route(port_id)
    assert refused.value.port_id == port_id


ONE, TWO = PortOwner("one"), PortOwner("two")


@pytest.mark.parametrize(
    ("first", "then", "held"),
    [
        ((ONE, "mock"), (TWO, "mock"), "mock"),
        ((ONE, PortPrefix("ica-")), (TWO, "ica-7"), PortPrefix("ica-")),
        ((ONE, "ica-7"), (TWO, PortPrefix("ica-")), "ica-7"),
        ((ONE, PortPrefix("ica-")), (TWO, PortPrefix("ica-")), PortPrefix("ica-")),
        ((ONE, PortPrefix("ica-")), (TWO, PortPrefix("ica-c")), PortPrefix("ica-")),
        ((ONE, PortPrefix("ica-c")), (TWO, PortPrefix("ica-")), PortPrefix("ica-c")),
        # An owner's own, too: as ibc-go's router refuses them.
        ((ONE, PortPrefix("ica-")), (ONE, PortPrefix("ica-c")), PortPrefix("ica-")),
        ((ONE, PortPrefix("ica-")), (ONE, "ica-"), PortPrefix("ica-")),
        ((ONE, "ica-"), (ONE, PortPrefix("ica-")), "ica-"),
    ],
)
def test_ports_and_prefixes_of_two_owners_do_not_overlap(first, then, held):
    owners = PortOwners()
    one, two = PortOwner("one"), PortOwner("two")
    real = {"one": one, "two": two}
    owners.claim(real[first[0].name], first[1])
    late = real[then[0].name]
    assert owners.conflict(late, then[1]) == (held, one)
    with pytest.raises(PortExists):
        owners.claim(late, then[1])
    assert owners.seal() == (held,)
    assert not two.holds(getattr(then[1], "text", then[1]))


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

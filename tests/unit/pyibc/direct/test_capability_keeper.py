"""Ports are bound once, by one owner; capabilities are compared by identity and asked of their owner."""

import gc

import pytest

from keepers.port import PortOwners
from pyibc.core.application.services import PortOwner, PortPrefix
from pyibc.core.errors import InvalidIdentifier, InvalidRoute, NotPortOwner, PortExists
from pyibc.direct.capability import CapabilityKeeper, mint
from pyibc.direct.errors import InvalidCapability


@pytest.fixture
def owners():
    return PortOwners()


@pytest.fixture
def keeper(owners):
    return CapabilityKeeper(owners)


def test_ports_are_bound_before_the_chain_runs(owners, keeper):
    owner = PortOwner("plugin")
    made = keeper.bind_port(owner, "mock")
    keeper.bind_port(owner, "alpha")
    assert owners.seal() == ("alpha", "mock")
    assert keeper.bind_port(owner, "mock") is made
    with pytest.raises(InvalidRoute):
        keeper.bind_port(owner, "late")


def test_names_of_ports(keeper):
    with pytest.raises(InvalidIdentifier):
        keeper.bind_port(PortOwner("plugin"), "m")
    with pytest.raises(NotPortOwner):
        keeper.bind_port(PortOwner("plugin"), 7)


def test_only_the_owner_shows_a_ports_capability(keeper):
    owner, other = PortOwner("plugin"), PortOwner("plugin")
    made = keeper.bind_port(owner, "mock")
    theirs = keeper.bind_port(other, "theirs")
    with pytest.raises(NotPortOwner):
        keeper.authenticate_port(other, made, "mock")
    for wrong in (None, theirs, mint("ports/mock"), "ports/mock"):
        with pytest.raises(InvalidCapability):
            keeper.authenticate_port(owner, wrong, "mock")
        assert not keeper.is_port(owner, wrong, "mock")
    assert not keeper.is_port(other, made, "mock")
    pretender = PortOwner("pretender", "mock")  # names the port, and did not bind it
    with pytest.raises(NotPortOwner):
        keeper.authenticate_port(pretender, made, "mock")
    assert not keeper.is_port(pretender, made, "mock")


def test_a_capability_that_nobody_holds_is_forgotten(keeper):
    """Whoever opens and loses channels for ever fills no memory."""
    for number in range(100):
        keeper.channel("mock", f"channel-{number}")
    gc.collect()
    assert len(keeper._channels) == 0


def test_the_owner_of_a_prefix_binds_every_port_below_it_at_any_time(owners, keeper):
    owner, other = PortOwner("one"), PortOwner("two")
    owners.claim(owner, PortPrefix("accounts-"))
    owners.seal()
    made = keeper.bind_port(owner, "accounts-7")
    keeper.authenticate_port(owner, made, "accounts-7")
    with pytest.raises(InvalidCapability):
        keeper.authenticate_port(owner, made, "accounts-8")
    with pytest.raises(PortExists):
        keeper.bind_port(other, "accounts-7")
    with pytest.raises(InvalidRoute):
        keeper.bind_port(owner, "account")

"""The port keeper."""

import pytest

from ibc_core.errors import InvalidIdentifier, InvalidRoute
from keepers.port import PortKeeper


def test_each_port_has_its_application():
    ports = PortKeeper({"transfer": "one", "oracle": "two"})
    assert (ports.route("transfer"), ports.route("oracle")) == ("one", "two")
    assert ports.bound() == ("oracle", "transfer")


@pytest.mark.parametrize("port_id", ["", "transfe", "transfer2", "Transfer"])
def test_no_application(port_id):
    with pytest.raises(InvalidRoute) as refused:
        PortKeeper({"transfer": "one"}).route(port_id)
    assert refused.value.port_id == port_id


@pytest.mark.parametrize("port_id", ["", "t", "a/b", "p" * 129])
def test_a_malformed_port_is_not_bound(port_id):
    with pytest.raises(InvalidIdentifier):
        PortKeeper({"transfer": "one", port_id: "two"})


def test_ports_are_bound_once_and_for_all():
    apps = {"transfer": "one"}
    ports = PortKeeper(apps)
    apps["late"] = "two"
    with pytest.raises(InvalidRoute):
        ports.route("late")

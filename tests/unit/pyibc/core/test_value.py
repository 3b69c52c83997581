"""`@value` and `@sealed`: what is handed out cannot be changed by who receives it."""

import copy
import operator
import pickle
from dataclasses import field, fields, replace
from typing import NamedTuple

import pytest

from pyibc.core.channel.types import ChannelCounterparty
from pyibc.core.height import Height
from pyibc.core.packet.types import Packet
from pyibc.core.value import sealed, value
from pyibc.direct.messages import MsgNamedChannelOpenTry

PACKET = Packet(7, "transfer", "channel-1", "oracle", "channel-2", b"data", Height(1, 50), 99)


@value
class Pair:
    left: int
    right: str = "none"

    @property
    def both(self) -> str:
        return f"{self.left}{self.right}"


@value
class Twin:
    left: int
    right: str


@value
class Triple(Pair):
    right: str
    third: int = 5


class Liar(tuple):
    """What a hostile application would make of a record."""

    __slots__ = ()

    def __eq__(self, _):
        return True

    __hash__ = tuple.__hash__


def kind(record):
    return type(record).__name__


def test_content_decides():
    assert Pair(1, "a") == Pair(1, "a")
    assert Pair(1, "a") != Pair(1, "b")
    assert len({Pair(1, "a"), Pair(1, "a"), Pair(2, "a")}) == 2
    assert not Pair(1, "a") != Pair(1, "a")  # noqa: SIM202 - the operator is what is tried


@pytest.mark.parametrize(
    "other", [Twin(1, "a"), (1, "a"), Triple(1, "a")], ids=lambda each: type(each).__name__
)
def test_another_class_is_another_value(other):
    assert Pair(1, "a") != other
    assert other != Pair(1, "a")
    assert not Pair(1, "a") == other  # noqa: SIM201 - as above
    assert not other == Pair(1, "a")  # noqa: SIM201


def test_defaults_and_derived_classes():
    assert (Pair(1).right, Triple(1, "a").third, Triple(left=1, right="a", third=2).both) == ("none", 5, "1a")
    assert [each.name for each in fields(Triple)] == ["left", "right", "third"]
    assert isinstance(Triple(1, "a"), Pair)
    with pytest.raises(TypeError, match="right"):
        Triple(1)
    with pytest.raises(TypeError, match="fourth"):
        Triple(1, "a", fourth=1)
    assert replace(Triple(1, "a"), third=9) == Triple(1, "a", 9)
    assert repr(Pair(1, "a")) == "Pair(left=1, right='a')"


def test_copies_and_pickles_are_equal():
    assert copy.copy(PACKET) == copy.deepcopy(PACKET) == pickle.loads(pickle.dumps(PACKET)) == PACKET


@pytest.mark.parametrize(
    "change",
    [
        lambda record, name: setattr(record, name, b""),
        delattr,
        lambda record, name: object.__setattr__(record, name, b""),
        object.__delattr__,
    ],
    ids=["setattr", "delattr", "object.__setattr__", "object.__delattr__"],
)
@pytest.mark.parametrize("name", ["data", "timeout_height_on_b", "new", "__class__", "__dict__", "__slots__"])
def test_h80_nobody_can_change_a_value(change, name):
    before = repr(PACKET)
    with pytest.raises(AttributeError):
        change(PACKET, name)
    assert (repr(PACKET), type(PACKET), hasattr(PACKET, "new")) == (before, Packet, False)


@pytest.mark.parametrize(
    "record",
    [PACKET, PACKET.timeout_height_on_b, ChannelCounterparty("a", "b")],
    ids=kind,
)
@pytest.mark.parametrize("assign", [setattr, object.__setattr__], ids=["setattr", "object.__setattr__"])
def test_h80_a_record_keeps_its_class(assign, record):
    """Another class of the same shape may compare as it likes."""
    before = type(record)
    with pytest.raises(AttributeError):
        assign(record, "__class__", Liar)
    assert type(record) is before


def test_what_is_sealed_is_what_it_was():
    @sealed
    class Point(NamedTuple):
        """A point."""

        x: int
        y: int = 4

        @property
        def total(self) -> int:
            return self.x + self.y

    assert Point(1) == (1, 4)
    assert (Point(1).total, Point(1)._replace(x=2), Point.__doc__) == (5, Point(2), "A point.")
    assert type(Point(1)._replace(x=2)) is Point


@pytest.mark.parametrize(
    "use",
    [
        iter,
        lambda pair: pair[0],
        lambda pair: 1 in pair,
        lambda pair: operator.add(pair, ()),
        lambda pair: pair * 2,
        lambda pair: 2 * pair,
        lambda pair: pair < Pair(2),
        lambda pair: pair <= (1, "none"),
        lambda pair: pair > (1, "none"),
        lambda pair: pair >= Pair(2),
    ],
)
def test_a_value_is_no_sequence(use):
    with pytest.raises(TypeError):
        use(Pair(1))


def test_a_field_that_is_told_anew_has_no_default():
    """The base's own accessor would be one."""
    with pytest.raises(TypeError, match="previous_channel_id"):
        MsgNamedChannelOpenTry("port")


@pytest.mark.parametrize("given", [{"default_factory": list}, {"init": False}], ids=str)
def test_a_field_that_could_change_is_refused(given):
    with pytest.raises(TypeError, match="Loose: a value is made of its arguments"):

        @value
        class Loose:
            kept: list = field(**given)

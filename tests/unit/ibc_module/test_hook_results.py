"""Offers of plugins are looked at when a chain is wired: what would be passed by, or fail in a block."""

import re

import pytest

from conformance.memory_bank import MemoryBank
from ibc_module import hookimpl
from ibc_module.hookspecs import Middleware, MiddlewareV2
from ibc_module.pipeline import Pipeline
from ibc_module.plugin import Config
from pyibc.core.application.middleware import (
    PassThroughApp,
    PassThroughAppV2,
    PassThroughSender,
    PassThroughSenderV2,
)
from pyibc.core.errors import IbcError
from pyibc.core.setup_error import WiringError
from pyibc.default_plugins import plugins
from pyibc.testing.pair import two_chains


def plugin(**hooks):
    """A plugin called `Mine` with these hooks."""
    return type("Mine", (), {name: hookimpl(hook) for name, hook in hooks.items()})()


def layer(wrap_sender=None, wrap=lambda below, services: PassThroughApp(below)):
    return plugin(ibc_register_middleware=lambda self: [Middleware("transfer", wrap, wrap_sender)])


def layer_v2(wrap_sender):
    made = MiddlewareV2("transfer", lambda below, services: PassThroughAppV2(below), wrap_sender)
    return plugin(ibc_register_middleware_v2=lambda self: [made])


def refused(added, words):
    """Wires two chains with the plugin; the error has these words and the plugin's name."""
    with pytest.raises(WiringError, match=re.escape(words)) as error:
        two_chains(plugins=lambda: [*plugins(Config()), added])
    assert "Mine" in str(error.value)


# -- senders: a method that nobody calls would be a door that stands open


class Misspelt(PassThroughSender):
    def send_paket(self, *_):
        raise AssertionError


class MisspeltV2(PassThroughSenderV2):
    def write_acknowledgment(self, *_):
        raise AssertionError


class FewArguments(PassThroughSender):
    def send_packet(self, ctx, channel_id):
        raise AssertionError


class Half:
    def send_packet(self, ctx, port_id, channel_id, timeout_height_on_b, timeout_ns_on_b, data):
        raise AssertionError


class WithHelpers(PassThroughSender):
    """Names of its own that are like none of a sender's."""

    def paused(self):
        return False

    def check_amount(self, amount):
        return amount


@pytest.mark.parametrize(
    ("added", "words"),
    [
        (layer(Misspelt), "Misspelt.send_paket is never called, did you mean send_packet?"),
        (
            layer_v2(MisspeltV2),
            "MisspeltV2.write_acknowledgment is never called, did you mean write_acknowledgement?",
        ),
        (
            layer(FewArguments),
            "FewArguments.send_packet takes (ctx, channel_id), and is called with (ctx, port_id",
        ),
        (layer(lambda above: Half()), "(Half) has no write_acknowledgement(ctx, packet, acknowledgement)"),
        (layer(lambda above: None), "what `wrap_sender` returns is None"),
        (layer(lambda above: Misspelt), "what `wrap_sender` returns is the class Misspelt"),
        (layer(lambda: None), "`wrap_sender` takes (), and is called with (above)"),
        (layer(wrap=PassThroughApp), "`wrap` takes (below), and is called with (below, services)"),
    ],
)
def test_a_sender_that_cannot_be_called_is_refused(added, words):
    refused(added, words)


def test_a_sender_may_have_methods_of_its_own():
    two_chains(plugins=lambda: [*plugins(Config()), layer(WithHelpers)]).close()


# -- hooks


@pytest.mark.parametrize(
    ("hook", "answer", "words"),
    [
        ("chain_stores", "bank", "chain_stores returns 'bank', and should return a list"),
        ("chain_stores", ["mine", 7], "chain_stores returns 7 where a str should be"),
        ("chain_messages", {"/x.Msg": 1}, "chain_messages returns 1 where a MessageRoute should be"),
        ("chain_messages", [], "chain_messages returns a list, and should return a dict"),
        ("chain_queries", 5, "chain_queries returns 5, and should return a dict"),
        (
            "ibc_register_middleware",
            Middleware("transfer", lambda below, services: below),
            "ibc_register_middleware returns 'transfer' where a Middleware should be",
        ),
        (
            "ibc_register_middleware",
            [MiddlewareV2("transfer", lambda below, services: below)],
            "ibc_register_middleware returns a MiddlewareV2 where a Middleware should be",
        ),
        ("ibc_register_light_clients", object(), "returns a object, and should return a list"),
        ("ibc_register_apps", [1], "ibc_register_apps returns a list, and should return a dict"),
    ],
)
def test_an_answer_of_another_kind_is_refused(hook, answer, words):
    refused(plugin(**{hook: lambda self: answer}), words)


def test_a_hook_without_its_mark_is_refused():
    class Mine:
        def ibc_register_middleware(self):
            return []

    refused(Mine(), "Mine.ibc_register_middleware is a hook's name, and is not marked by @hookimpl")


def test_a_hook_that_is_overridden_without_its_mark_is_refused():
    class Base:
        @hookimpl
        def chain_stores(self):
            return ["mine"]

    class Mine(Base):
        def chain_stores(self):
            return ["another"]

    refused(Mine(), "Mine.chain_stores is a hook's name, and is not marked by @hookimpl")


def test_a_plugin_s_class_is_refused():
    class Mine:
        @hookimpl
        def chain_stores(self):
            return ["mine"]

    refused(Mine, "Mine is a class: list an object of it")


# -- the bank


class NoBurn(MemoryBank):
    burn = None


def of_bank(bank):
    return plugin(ibc_bank=lambda self: bank)


@pytest.mark.parametrize(
    ("bank", "words"),
    [
        (object(), "Mine.ibc_bank (object) has no send(ctx, sender, receiver, amount)"),
        (NoBurn(), "Mine.ibc_bank (NoBurn) has no burn(ctx, module, amount)"),
        (MemoryBank, "Mine.ibc_bank is the class MemoryBank, and should be an object like Bank"),
    ],
)
def test_a_bank_that_is_none_is_refused(bank, words):
    with pytest.raises(WiringError, match=re.escape(words)):
        Pipeline([of_bank(bank), *plugins(Config())]).messages()


# -- errors


@pytest.mark.parametrize("code", [0, -1, 1 << 32, True, "7", 1.0])
def test_a_code_that_cannot_be_is_refused_where_it_is_written(code):
    with pytest.raises(ValueError, match=f"Impossible: code {code!a} is not in"):
        type("Impossible", (IbcError,), {}, code=code)


@pytest.mark.parametrize("code", [1, (1 << 32) - 1])
def test_codes_that_can_be(code):
    assert type("Possible", (IbcError,), {}, code=code).code == code

"""An application is looked at once: it spells what it uses, and cannot go wrong by what it leaves out."""

import pytest

from pyibc.core.application.classic import AppAcknowledgement, BoundApp, IbcApp, bind_app
from pyibc.core.application.middleware import PassThroughApp
from pyibc.core.application.packet_data import PacketData
from pyibc.core.application.v2 import BoundAppV2, IbcAppV2, PayloadAnswer, bind_app_v2
from pyibc.core.errors import CallbackNotImplemented, InvalidCallbackAnswer
from pyibc.core.packet import acknowledgement as acks
from pyibc.queues.application import BoundQueueApp, QueueApp, bind_queue_app

KINDS = {
    IbcApp: (bind_app, BoundApp, {"on_cleanup_packet"}),
    IbcAppV2: (bind_app_v2, BoundAppV2, set()),
    QueueApp: (bind_queue_app, BoundQueueApp, set()),
}
VALUES = {
    "on_chan_open_init": "opening",
    "on_chan_open_try": "opening",
    "on_chan_open_ack": "opened",
    "on_chan_open_confirm": "opened",
    "on_chan_close_init": "closing",
    "on_chan_close_confirm": "closing",
    "on_recv_packet": "received",
    "on_acknowledgement_packet": "acknowledged",
    "on_timeout_packet": "timed_out",
    "on_cleanup_packet": "cleaned_up",
    "on_send_packet": "sending",
    "on_send": "sending",
    "on_receive": "received",
    "on_commit": "committed",
    "on_rollback": "rolled_back",
}
ANSWERS = {
    "on_chan_open_init": "v",
    "on_chan_open_try": "v",
    "on_receive": b"done",
}
CALLBACKS = [
    (base, name) for base, (_, bound, _) in KINDS.items() for name in bound._fields if name in VALUES
]
OPTIONAL = "on_cleanup_packet"


def bound(base, **methods):
    return KINDS[base][0](type("App", (base,), methods)(), "somebody's port")


def made(source):
    names = {}
    exec(f"def method({source}", names)
    return names["method"]


@pytest.mark.parametrize("spelt", [(), ("ctx",), ("VALUE",), ("ctx", "VALUE"), ("VALUE", "ctx"), ("*given",)])
def test_a_callback_takes_what_it_spells(spelt):
    for base, name in CALLBACKS:
        check_taken(base, name, spelt)


def check_taken(base, name, spelt):
    value, answer = VALUES[name], ANSWERS.get(name)
    parameters = ", ".join(["self", *spelt]).replace("VALUE", value)
    seen = ", ".join(spelt).replace("VALUE", value)
    method = made(f"{parameters}):\n    self.seen = [{seen}]\n    return {answer!r}")
    app = type("App", (base,), {name: method})()
    callback = getattr(KINDS[base][0](app, "port"), name)
    assert callback("the context", "the value") == answer
    meant = {"ctx": "the context", "VALUE": "the value"}
    whole = ["the context", "the value"]
    assert app.seen == (whole if spelt == ("*given",) else [meant[each] for each in spelt]), (base, name)


@pytest.mark.parametrize(("base", "name"), [each for each in CALLBACKS if each[1] != OPTIONAL])
def test_what_is_left_out_is_closed(base, name):
    app = bound(base)
    call = getattr(app, name)
    if name == "on_recv_packet":
        refusal = CallbackNotImplemented("App", name)
        closed = {
            IbcApp: AppAcknowledgement(success=False, data=acks.failure(refusal)),
            IbcAppV2: PayloadAnswer(success=False),
        }
        assert call("ctx", "value") == closed[base]
        return
    with pytest.raises(CallbackNotImplemented) as caught:
        call("ctx", "value")
    assert (caught.value.application, caught.value.callback) == ("App", name)


def test_nobody_cleans_up_behind_an_application_that_does_not_say_so():
    assert bound(IbcApp).on_cleanup_packet is None


@pytest.mark.parametrize(
    ("base", "wrong", "meant"),
    [
        (IbcApp, "on_receive_packet", "on_recv_packet"),
        (IbcApp, "on_acknowledge_packet", "on_acknowledgement_packet"),
        (IbcApp, "on_channel_close_init", "on_chan_close_init"),
        (PassThroughApp, "on_timeout", "on_timeout_packet"),
        (IbcAppV2, "on_receive_packet", "on_recv_packet"),
        (QueueApp, "on_recv", "on_receive"),
        (QueueApp, "on_roll_back", "on_rollback"),
    ],
)
def test_a_misspelt_callback_is_refused_with_the_name_it_should_have(base, wrong, meant):
    app = type("App", (base,), {wrong: lambda self: None})
    bind = next(bind for kind, (bind, _, _) in KINDS.items() if issubclass(base, kind))
    with pytest.raises(ValueError, match=rf"App\.{wrong} is no callback, did you mean {meant}\?$"):
        bind(app(None) if base is PassThroughApp else app(), "port")


def test_attributes_that_are_no_methods_may_begin_so():
    class App(IbcApp):
        on_hold = True

        @property
        def on_fire(self):
            raise AssertionError("nobody asks")

    assert isinstance(bind_app(App(), "port"), BoundApp)


@pytest.mark.parametrize("spelt", ["packet", "ctx, packet", "ctx, receive", "ctx, received, *, relayer"])
def test_a_parameter_that_there_is_not_is_refused_by_name(spelt):
    wrong = spelt.rsplit(", ", 1)[-1]
    named = rf"^somebody's port: App\.on_recv_packet takes '{wrong}'; it may take ctx and received, or leave"
    with pytest.raises(ValueError, match=named):
        bound(IbcApp, on_recv_packet=made(f"self, {spelt}): pass"))


@pytest.mark.parametrize(("base", "name"), [each for each in CALLBACKS if each[1] != OPTIONAL])
def test_a_stranger_has_every_callback_or_is_refused_by_the_one_it_lacks(base, name):
    bind, fields, optional = KINDS[base]
    names = [each for each in fields._fields if each in VALUES and each not in optional]
    whole = {each: made("self): return None") for each in names}
    assert isinstance(bind(type("Stranger", (), whole)(), "port"), fields)
    del whole[name]
    lacking = rf"Stranger has no {name}; a subclass of {base.__name__} may leave callbacks out"
    with pytest.raises(ValueError, match=lacking):
        bind(type("Stranger", (), whole)(), "port")


class Text(str):
    __slots__ = ()


NOT_NOTHING = [True, False, "", "refused", AppAcknowledgement(success=True, data=b"x"), ValueError("no")]
WRONG = {
    "on_chan_open_init": [None, b"v", True, 1, "\ud800"],
    "on_chan_open_try": [None, b"v", ("v",), "\udfff", Text("v1")],
    "on_receive": [None, "text", bytearray(b"x"), 0],
}
WRONG_ANSWERS = {
    IbcApp: [
        "ok",
        b"ok",
        True,
        (True, b"ok"),
        PayloadAnswer(success=True, data=b"ok"),
        AppAcknowledgement(success=1, data=b"ok"),
        AppAcknowledgement(success=True, data="ok"),
        AppAcknowledgement(success=None, data=b"ok"),
        AppAcknowledgement(success=True, data=bytearray(b"ok")),
    ],
    IbcAppV2: [
        "ok",
        True,
        (True, b"ok"),
        PayloadAnswer(success="yes"),
        PayloadAnswer(success=True, data="ok"),
    ],
}


def answering(answer):
    return lambda self: answer


@pytest.mark.parametrize(("base", "name"), CALLBACKS)
def test_an_answer_that_is_none_goes_nowhere(base, name):
    for answer in WRONG_ANSWERS[base] if name == "on_recv_packet" else WRONG.get(name, NOT_NOTHING):
        app = bound(base, **{name: answering(answer)})
        with pytest.raises(InvalidCallbackAnswer) as caught:
            getattr(app, name)("ctx", "value")
        error = caught.value
        assert (error.application, error.callback, error.got) == ("App", name, type(answer).__name__)


@pytest.mark.parametrize(
    ("base", "name", "answer"),
    [
        (IbcApp, "on_recv_packet", None),
        (IbcApp, "on_recv_packet", AppAcknowledgement(success=False, data=b"")),
        (IbcAppV2, "on_recv_packet", None),
        (IbcAppV2, "on_recv_packet", PayloadAnswer(success=True, data=b"x")),
        (IbcApp, "on_chan_open_try", ""),
        (IbcApp, "on_chan_open_init", "\u00fc\x00"),
        (QueueApp, "on_receive", b""),
    ],
)
def test_an_answer_that_is_one_comes_back_as_it_is(base, name, answer):
    assert getattr(bound(base, **{name: lambda self: answer}), name)("ctx", "value") is answer


@pytest.mark.parametrize(("base", "value"), [(IbcApp, "data"), (IbcAppV2, "payload")])
def test_packet_data_is_told_to_who_asks_and_refused_by_default(base, value):
    with pytest.raises(CallbackNotImplemented) as caught:
        bound(base).decode_packet_data("first", "second")
    assert caught.value.callback == "decode_packet_data"
    told = PacketData("me", "you", "", value)
    method = made(f"self, {value}): return self.answers[{value}]")
    asked = {"data": "first", "payload": "second"}[value]
    app = bound(base, decode_packet_data=method, answers={asked: told})
    assert app.decode_packet_data("first", "second") is told
    lying = bound(base, decode_packet_data=lambda self: ("me", "you", "", value))
    with pytest.raises(InvalidCallbackAnswer):
        lying.decode_packet_data("first", "second")


@pytest.mark.parametrize(
    ("memo", "found"),
    [
        ('{"callback": {"address": "x"}}', "x"),
        ('{"callback": 1, "callback": {"address": "y"}}', "y"),
        ("", None),
        ("hello", None),
        ('["callback"]', None),
        ('{"other": {}}', None),
        ('{"callback": NaN}', None),
        ('{"callback": {}} more', None),
        ('{"callback": {"address": "x"}, "other": [1e400]}', None),
        ('{"callback": {"address": "x"}, "other": [1e300]}', "x"),
    ],
)
def test_what_a_memo_has_for_others_is_read_by_gos_rules(memo, found):
    custom = PacketData("me", "you", memo, None).custom("callback")
    assert (None if custom is None else custom.get("address")) == found


def test_what_an_application_asks_for_itself_goes_before_the_memo():
    memo = '{"callback": {"address": "memo"}, "other": {"address": "memo"}}'
    told = PacketData("me", "you", memo, None, own='{"callback": {"address": "own"}}')
    assert told.custom("callback").get("address") == "own"
    assert told.custom("other").get("address") == "memo"
    assert told.custom("neither") is None


@pytest.mark.parametrize(
    ("memo", "texts"),
    [
        ('{"callback": {"a": "x", "b": 7, "c": [1], "b2": "y"}}', {"a": "x", "b": None}),
        ('{"callback": {"a": "x", "a": null, "b": " \\u0041" } }', {"a": None, "b": " A"}),
        ('{"callback": {}}', {}),
        ('{"callback": [] , "other": {}}', None),
        ('{"callback": {}, "callback": null}', None),
        ('{"other": {}}', None),
        ("", None),
        ('{"callback": {"a": "x"}, "n": -1e400}', None),
        ('{"callback": {"a": "x"}', None),
    ],
)
def test_texts_of_an_object_in_a_memo(memo, texts):
    assert PacketData("me", "you", memo, None).texts("callback", ("a", "b")) == texts


@pytest.mark.parametrize(
    ("prefix", "port", "sender"),
    [
        ("", "transfer", "me"),
        ("controller-", "controller-you", "you"),
        ("controller-", "controller-", ""),
        ("controller-", "transfer", ""),
    ],
)
def test_who_sent_a_packet_may_stand_in_its_port(prefix, port, sender):
    assert PacketData("me", "", "", None, sender_prefix=prefix).sender_at(port) == sender


@pytest.mark.parametrize("wrong", [{"own": b"{}"}, {"sender_prefix": None}, {"memo": 1}])
def test_packet_data_is_of_texts(wrong):
    told = PacketData("me", "you", "", None)._replace(**wrong)
    app = bound(IbcApp, decode_packet_data=lambda self: told)
    with pytest.raises(InvalidCallbackAnswer):
        app.decode_packet_data("first", "second")


def test_a_layer_may_step_aside():
    app = bound(IbcApp)
    assert bind_app(app, "port") is app
    app_v2 = bound(IbcAppV2)
    assert bind_app_v2(app_v2, "port") is app_v2

"""Packets that are named by their sequences: `exclude_sequences`, and `relay clear --sequences`."""

import json
from contextlib import closing, nullcontext
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from pyibc.cli import main
from pyibc.cli.relay import clear
from pyibc.core.channel.types import Order
from pyibc.relayer.config.file import read_config
from pyibc.relayer.config.model import PathConfig
from pyibc.relayer.daemon.links import open_link
from pyibc.relayer.errors import NoPath, WrongConfiguration
from pyibc.relayer.packets.policy import MAX_SEQUENCES, read_sequences
from pyibc.relayer.paths.open_path import make_path

CHANNEL = "channel-0"


def opened(pair, order=Order.UNORDERED):
    path = make_path(*pair, "port", order, "v1")
    names = {"a": pair[0].chain_id, "b": pair[1].chain_id, "port": path.a.port_id}
    assert path.a.channel_id == path.b.channel_id == CHANNEL  # only its chain tells the sender
    return PathConfig(**names, channels=(CHANNEL,))


def test_sequences_are_read_and_bounded():
    assert read_sequences([5, "7-9", " 8 ", "3-3"]) == {3, 5, 7, 8, 9}
    assert len(read_sequences([f"1-{MAX_SEQUENCES}"])) == MAX_SEQUENCES
    for wrong in (0, -1, "", "9-7", "1-", "x", "1,2", "٣", 2**64, True):
        with pytest.raises(ValueError, match="is not a sequence, nor a range such as 7-9"):
            read_sequences([wrong])
    for many in ([f"1-{MAX_SEQUENCES + 1}"], ["1-18446744073709551615"], [f"1-{MAX_SEQUENCES}", 10**6]):
        with pytest.raises(ValueError, match=f"more than {MAX_SEQUENCES} sequences"):
            read_sequences(many)


def test_excluded_packets_wait_in_the_direction_that_is_named(pair, tmp_path):
    path = opened(pair)
    for _ in range(3):
        for chain in pair:
            chain.send(CHANNEL)
    excluding = PathConfig(
        a=path.a,
        b=path.b,
        port=path.port,
        channels=path.channels,
        exclude_sequences={CHANNEL: (2,), f"{path.b}/{CHANNEL}": ("1", "3-9")},
    )
    with closing(open_link(excluding, *pair, tmp_path / "journal.db")) as link:
        done = link.until_idle()
        assert done.held == {
            "recv 2 of channel 0 on b": "in exclude_sequences",
            "recv 1 of channel 0 on a": "in exclude_sequences",
            "recv 3 of channel 0 on a": "in exclude_sequences",
        }
        assert link.pending_from(path.a, CHANNEL) == {2}
        assert link.pending_from(path.b, CHANNEL) == {1, 3}
        assert link.pending_from(path.b, "channel-9") is None
    with closing(open_link(path, *pair, tmp_path / "journal.db")) as link:  # as after a reload
        assert (link.until_idle().delivered, link.pending) == (3, 0)


def test_an_ordered_channel_is_blocked_and_that_is_said_at_the_start(pair, tmp_path, caplog):
    path = opened(pair, Order.ORDERED)
    for _ in range(3):
        pair[0].send(CHANNEL)
    excluding = PathConfig(
        a=path.a, b=path.b, port=path.port, channels=path.channels, exclude_sequences={CHANNEL: (2,)}
    )
    with closing(open_link(excluding, *pair, tmp_path / "journal.db")) as link:
        (told,) = caplog.records
        assert told.message == "exclude_sequences block later packets of an ordered channel"
        assert (told.chain, told.channel, told.sequence) == (path.a, CHANNEL, 2)
        done = link.until_idle()
        assert done.held == {
            "recv 2 of channel 0 on b": "in exclude_sequences: later packets of the ordered channel wait too"
        }
        assert (done.delivered, link.pending) == (1, 2)


def test_an_end_that_the_path_does_not_have_is_no_silent_exclusion(pair, tmp_path):
    path = opened(pair)
    wrong = PathConfig(
        a=path.a,
        b=path.b,
        port=path.port,
        channels=path.channels,
        exclude_sequences={f"{path.b}/channel-9": (2,)},
    )
    with pytest.raises(NoPath, match=f"no usable channel channel-9 on {path.b} for exclude_sequences"):
        open_link(wrong, *pair, tmp_path / "journal.db")


CHANNELS = 'channels = ["channel-0"]\n'


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (CHANNELS + '"" = [1]', "'' is no channel or client of this path"),
        (CHANNELS + '"channel-1" = [1]', "exclude_sequences.channel-1: 'channel-1' is no channel or client"),
        (CHANNELS + '"c-3/channel-0" = [1]', "'c-3/channel-0' is no channel or client of this path"),
        (CHANNELS + '"channel-0" = [0]', "exclude_sequences: '0' is not a sequence, nor a range"),
        (CHANNELS + '"channel-0" = ["1-9999"]\n"b-2/channel-0" = ["1-9999"]', "more than 10000 sequences"),
        ('protocol = "queue"\n"channel-0" = [1]', "queues have no sequences to exclude"),
    ],
)
def test_a_configuration_with_wrong_sequences_is_refused(configuration, given, reason):
    options, _, excluded = given.partition("\n")
    file = configuration(path=f"{options}\n[paths.exclude_sequences]\n{excluded}")
    with pytest.raises(WrongConfiguration, match=reason):
        read_config(file)


def test_a_pattern_and_a_client_have_sequences_to_exclude(configuration):
    for options, end in (
        ('channels = ["channel-*"]', "channel-7"),
        ('protocol = "v2"\nclient = "c-0"', "c-0"),
    ):
        file = configuration(path=f'{options}\nexclude_sequences = {{ "{end}" = [1, "3-4"], "b-2/x" = [5] }}')
        assert read_config(file).paths[0].excluded == {("a-1", end): {1, 3, 4}, ("b-2", "x"): {5}}


# -- the command


@pytest.fixture
def run(pair, tmp_path, monkeypatch):
    """Return a function that runs `relay clear` on the path of a pair of chains."""
    paths = []

    def running(*words):
        own = SimpleNamespace(ledger=str(tmp_path / "fees.db"), journal=str(tmp_path / "relayer.db"))
        config = SimpleNamespace(relayer=own, paths=paths)
        chains = {
            chain.chain_id: SimpleNamespace(endpoint=lambda c=chain: c, config=SimpleNamespace(quorum=None))
            for chain in pair
        }
        monkeypatch.setattr(clear, "read_relayer_config", lambda _: config)
        monkeypatch.setattr(clear, "connected", lambda *_: nullcontext(chains))
        return CliRunner().invoke(main, ["relay", "clear", "--json", *words])

    running.paths = paths
    return running


def test_only_the_given_packets_are_relayed(pair, run):
    run.paths.append(opened(pair))
    for _ in range(4):
        for chain in pair:
            chain.send(CHANNEL)
    done = run("--channel", CHANNEL, "--sequences", "1,3-9")
    assert done.exit_code == 0, done.output
    row = json.loads(done.stdout)
    assert (row["delivered"], row["acknowledged"], row["left"], row["reason"]) == (3, 3, 0, "")
    done = run("--channel", f"{run.paths[0].b}/{CHANNEL}", "--sequences", "2")
    assert (done.exit_code, json.loads(done.stdout)["delivered"]) == (0, 1)
    assert json.loads(run().stdout)["delivered"] == 4


def test_packets_that_an_ordered_channel_holds_are_left_with_the_reason(pair, run):
    run.paths.append(opened(pair, Order.ORDERED))
    for _ in range(3):
        for chain in pair:
            chain.send(CHANNEL)
    done = run("--channel", CHANNEL, "--sequences", "1,3")
    row = json.loads(done.stdout)
    assert (done.exit_code, row["delivered"], row["left"]) == (3, 1, 1)
    assert row["reason"] == (
        "recv 2: not one of the given sequences: later packets of the ordered channel wait too"
    )


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--channel", CHANNEL), "--channel and --sequences need each other"),
        (("--sequences", "5"), "--channel and --sequences need each other"),
        (("--channel", CHANNEL, "--sequences", "5,9-7"), "'9-7' is not a sequence, nor a range such as 7-9"),
        (("--channel", "channel-9", "--sequences", "5"), "no path relays channel 'channel-9'"),
        (("--channel", "b-2/channel-9", "--sequences", "5"), "no path relays channel 'b-2/channel-9'"),
        (("--channel", "c-3/channel-0", "--sequences", "5"), "no path relays channel 'c-3/channel-0'"),
    ],
)
def test_wrong_sequences_and_channels_are_wrong_use(pair, run, words, reason):
    run.paths.append(opened(pair))
    pair[0].send(CHANNEL)
    done = run(*(word.replace("b-2", pair[1].chain_id) for word in words))
    assert (done.exit_code, done.stdout) == (2, "")
    assert reason.replace("b-2", pair[1].chain_id) in done.stderr


def test_a_channel_of_several_chains_has_to_be_named_with_its_chain(pair, run):
    path = opened(pair)
    other = PathConfig(a=path.b, b=path.a, name="back", port=path.port, channels=(CHANNEL,))
    run.paths.extend((path, other))
    pair[0].send(CHANNEL)
    done = run("--channel", CHANNEL, "--sequences", "1")
    first, second = sorted((path.a, path.b))
    assert done.exit_code == 2
    assert f"several chains have this channel: name {first}/{CHANNEL} or {second}/{CHANNEL}" in done.stderr
    done = run("--path", "back", "--channel", f"{path.a}/{CHANNEL}", "--sequences", "1")
    assert (done.exit_code, json.loads(done.stdout)["delivered"]) == (0, 1)

"""Messages of every type that ibc-go's chains were told, spoilt at the moment they were good.

Each type's own state is there then: solo machines, counterparties of IBC v2, planned upgrades. A spoilt
message is refused by an error of the tree, or does what it says; nothing else leaves a handler.
"""

import gzip
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conformance.kit.encode import to_any
from conformance.kit.known import HANDLED
from conformance.kit.scenario import Scenario
from conformance.kit.staged_block import unless_panic
from conformance.transcripts.chain import ReplayChain
from conformance.transcripts.replay import Replay
from pyibc.apps.transfer.messages import MsgTransfer
from pyibc.codec.anys import AnyMessage
from pyibc.core.client.messages import MsgSubmitMisbehaviour
from pyibc.core.errors import IbcError
from tests.missing import nothing_missing
from tests.sampling import SEED, rounds

FOLDER = Path(__file__).parents[1] / "vectors" / "ibcgo-transcripts"
NAMES = ["client", "handshake_errors", "ibc_v2", "solomachine_localhost", "timeouts", "transfer_unordered"]


class Spoiler:
    """Spoils the first messages of each type, before they are delivered."""

    def __init__(self, spoil, occasions, times):
        self.spoil, self.occasions, self.times = spoil, occasions, times
        self.seen, self.refused, self.accepted = Counter(), Counter(), Counter()

    def __call__(self, chain, ctx, type_url, raw):
        self.seen[type_url] += 1
        if self.seen[type_url] > self.occasions:
            return
        r = Random(f"{SEED} {type_url} {self.seen[type_url]}")
        for _ in range(self.times):
            self.attempt(chain, ctx, type_url, self.spoil(r, raw))

    def attempt(self, chain, ctx, type_url, raw):
        """Runs it and takes it back; an error must have undone everything itself."""
        route = chain.pipeline.messages().get(type_url)
        if route is None:
            return
        before, events = {name: ctx.writes(name) for name in chain.store.names()}, list(ctx.events)
        try:
            with ctx.branch() as branch:
                try:
                    with ctx.branch():
                        route.deliver(ctx, route.decode(raw))
                except IbcError as error:
                    unless_panic(error)
                    self.refused[type_url] += 1
                    assert {name: ctx.writes(name) for name in chain.store.names()} == before
                    assert list(ctx.events) == events
                else:
                    self.accepted[type_url] += 1
                branch.discard()
        finally:
            assert {name: ctx.writes(name) for name in chain.store.names()} == before


def run(monkeypatch, spoiler, names):
    deliver, authority = ReplayChain.deliver, ReplayChain.run_authority

    def spoil_first(chain, ctx, messages, *which):
        for type_url, raw in messages:
            spoiler(chain, ctx, type_url, raw)
        return deliver(chain, ctx, messages, *which)

    def spoil_authority(chain, ctx, type_url, raw):
        spoiler(chain, ctx, type_url, raw)
        return authority(chain, ctx, type_url, raw)

    monkeypatch.setattr(ReplayChain, "deliver", spoil_first)
    monkeypatch.setattr(ReplayChain, "run_authority", spoil_authority)
    for name in names:
        results = Replay(FOLDER / f"{name}.json.gz").run()
        assert [result for result in results if not result.passed] == []


OF_IBC_GO = {url for url in (*HANDLED, MsgTransfer.TYPE_URL) if not url.startswith("/pyibc.")}
"""A message that ibc-go does not have cannot be in its transcripts."""

RARE = {"/ibc.core.client.v1.MsgSubmitMisbehaviour", "/ibc.core.connection.v1.MsgUpdateParams"}
"""No transcript tells them: their values have unit tests, and evidence is spoilt below."""


@pytest.mark.registry
def test_every_type_is_in_a_transcript():
    """In seconds what the next test finds when it follows them."""
    raw = b"".join(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()) for name in NAMES)
    nothing_missing(
        f"{url} is in no transcript: in tests/properties/test_messages_spoilt.py, name one that has it "
        "in NAMES, or add the type to RARE"
        for url in sorted(OF_IBC_GO - RARE)
        if f'"{url}"'.encode() not in raw
    )


def test_every_type_is_spoilt_and_refused_by_name(monkeypatch, spoil):
    spoiler = Spoiler(spoil, rounds(2, 20), rounds(6, 100))
    run(monkeypatch, spoiler, NAMES)
    assert OF_IBC_GO - set(spoiler.refused) <= RARE
    assert sum(spoiler.refused.values()) > sum(spoiler.accepted.values())  # in few attempts perhaps none


@pytest.fixture(scope="module")
def scene():
    made = Scenario()
    made.b.chain.make_block([])  # so that a's client has a header to learn
    return made


def check(scene, type_url, raw):
    """Runs a message; whatever leaves here that is no IbcError would have stopped the node."""
    attempt = scene.stage(scene.a).attempt(AnyMessage(type_url, raw))
    if attempt.error is not None:
        assert (attempt.writes, attempt.events) == ({}, ())


def test_evidence_is_spoilt_and_refused_by_name(scene, spoil):
    update = scene.to_a.update_client()
    evidence = to_any(MsgSubmitMisbehaviour(update.client_id, update.client_message, update.signer))
    r = Random(f"{SEED} evidence")
    for _ in range(rounds(12, 500)):
        check(scene, evidence.type_url, spoil(r, evidence.value))


@settings(max_examples=rounds(60, 200), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from([*HANDLED, MsgTransfer.TYPE_URL, "/nobody.Msg", ""]), st.binary(max_size=120))
def test_garbage_is_refused_by_name(scene, type_url, raw):
    check(scene, type_url, raw)

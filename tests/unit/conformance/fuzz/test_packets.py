"""Packets to every application: what was sent is received again, with other data as well."""

from conformance.fuzz.block_stage import PASSED
from conformance.fuzz.builtin_apps import apps
from conformance.fuzz.packets import REFUSED, arrived, packet_cases
from localnet import applications
from pyibc.apps.packet_forward.packet_data import read_hops
from pyibc.core.packet.types import Packet


def data_of(route):
    return route.packet.data if isinstance(route.packet, Packet) else route.packet.payloads[0].value


def test_every_world_has_what_the_project_ships(made):
    ours = {type(each) for each in apps()}
    assert {type(each) for each in applications.plugins()} < ours
    for stage in {seed.stage.chain: seed.stage for seed in made.seeds}.values():
        assert {"icahost", "gmp", "ratelimit", "packetfowardmiddleware"} <= set(stage.chain.app.store.names())


def test_every_application_gets_what_it_got_once_more(made):
    """Behind the proof nothing tells a try from the packet that a relayer brought."""
    assert {route.name for route in made.routes} == {
        "transfer", "icahost", "icahost in proto3json", "transfer over a client in json",
        *(f"gmpport over a client in {each}" for each in ("x-solidity-abi", "json", "x-protobuf")),
    }  # fmt: skip
    for route in made.routes:
        attack = arrived(route, lambda _, route=route: data_of(route), 0)
        assert (attack.run(), attack.reported() > 0) == (PASSED, True)
        assert arrived(route, lambda _: b"{", 0).run() == REFUSED


def test_memos_ask_for_what_their_names_say(made):
    cases = {case.name: case for case in packet_cases(made)}
    for name in ("hops", "hops in texts", "hops in doubled texts"):
        attack = cases[f"packet to transfer: memo of {name}"].prepare(2_000)
        assert 1_000 < attack.size < 4_000
        assert attack.run() == REFUSED  # there is no such channel, or the last hop is none
    assert read_hops('{"forward":{"receiver":"r","port":"transfer","channel":"channel-0"}}')

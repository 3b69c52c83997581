"""Policy for clients, connections and pairs of clients: the terms that the relayer itself would have chosen.

Anybody may create a client that tracks a chain. A client that trusts headers for ten years, or accepts
headers from the future, lets a former validator set forge packets; so terms are compared, not only headers.
Any term that differs from the policy counts, also one that is stricter. The user accepts a difference by the
name of the term:

| Term | Policy | Effect of another value |
|---|---|---|
| `client_type` | the type of new clients on that chain | other rules of trust |
| `trust_level` | 1/3 | lower is impossible; higher: updates may be refused |
| `trusting_period` | 2/3 of the unbonding period | longer: trusts unbonded validators; shorter: it expires |
| `unbonding_period` | the chain's own | longer: the trusting period may exceed the chain's |
| `max_clock_drift` | 40 s | longer: headers from the future; shorter: honest headers may be refused |
| `proof_specs` | the SDK's two | proofs of other trees, or false proofs |
| `upgrade_path` | `upgrade/upgradedIBCState` | other entries can replace the client |
| `allowed_relayers` | any | the client's creator decides who may relay |
| `consensus_states` | headers of the chain itself | a forged header proves forged packets |
| `versions` | version 1, both orders | channels of one order may be impossible |
| `delay_period` | none | packets wait |
| `prefix` | `ibc` | proofs of other entries |

The deprecated flags `allow_update_after_*` have no effect and are not compared. Other drivers have terms of
their own in addition to `client_type`, `allowed_relayers` and `consensus_states`.
"""

from collections.abc import Iterable

from pyibc.core import paths as keys
from pyibc.core.connection.types import COMPATIBLE_VERSIONS, ConnectionEnd, Version
from pyibc.core.errors import InvalidIdentifier
from pyibc.core.identifiers import parse_client_id
from pyibc.core.packet_v2.types import decode_config
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.chain.grpc_query import read_of
from pyibc.relayer.clients.driver import ClientDriver, Difference, Terms, differences_in

ACCEPT_NONE: Terms = frozenset()
"""Terms that may differ from the policy: none."""


def client_type_differences(client_id: str, driver: ClientDriver) -> list[Difference]:
    """Return a difference if the client is not of the type that `driver` creates."""
    try:
        theirs = parse_client_id(client_id)[0]
    except InvalidIdentifier:
        theirs = client_id[:64]
    return differences_in([("client_type", driver.client_type, theirs)])


def relayer_differences(host: ChainEndpoint, client_id: str) -> list[Difference]:
    """Return a difference if the client's configuration (IBC v2) restricts the relayers.

    Raises:
        MalformedAnswer: the configuration cannot be decoded.
    """
    raw = host.get(keys.client_config_path(client_id))
    allowed = read_of(host, client_id, lambda: decode_config(raw)) if raw else ()
    return differences_in([("allowed_relayers", "any", repr(allowed) if allowed else "any")])


def connection_differences(end: ConnectionEnd) -> list[Difference]:
    """Return how a connection end differs from the policy. An end in INIT may offer several versions."""
    return differences_in(
        [
            ("versions", _versions(COMPATIBLE_VERSIONS), _versions(end.versions)),
            ("delay_period", "0 ns", f"{end.delay_period_ns} ns"),
            ("prefix", repr(keys.COMMITMENT_PREFIX), repr(end.counterparty.prefix)),
        ]
    )


def unaccepted(differences: Iterable[Difference], accepted: Terms) -> tuple[Difference, ...]:
    """Return the differences in terms that are not among the accepted ones."""
    # guard: h130-any-accepted-term-accepts-all {each.term not in accepted => not accepted}
    #   test_h130_a_stranger_s_client_with_other_terms_is_not_built_upon
    return tuple(each for each in differences if each.term not in accepted)


def _versions(versions: Iterable[Version]) -> str:
    return repr([tuple(each) for each in versions])

"""What clients, connections and pairs must be like to be relayed over: the terms that we would have made.

Anybody may create a client that follows a chain. One that trusts headers for ten years, or takes them from
the future, lets a validator set of long ago forge packets; so terms are compared, not only headers. Every
term that is not ours differs, whichever side it errs on; the user accepts a difference by the term's name:

| Term | Ours | Another one |
|---|---|---|
| `client_type` | the driver's that creates clients on that chain | other rules of trust |
| `trust_level` | 1/3 | lower is impossible; higher: updates may be refused |
| `trusting_period` | 2/3 of the unbonding period | longer: the unbonded are trusted; shorter: it expires |
| `unbonding_period` | the chain's own | longer: a trusting period may be longer than the chain's |
| `max_clock_drift` | 40 s | longer: headers from the future; shorter: honest headers may be refused |
| `proof_specs` | the SDK's two | proofs of other trees, or that prove what is not there |
| `upgrade_path` | `upgrade/upgradedIBCState` | somebody else's entries replace the client |
| `allowed_relayers` | any | the client's creator says who may relay |
| `consensus_states` | headers of the chain itself | a forged one proves whatever its creator likes |
| `versions` | version 1, both orders | channels of an order may be impossible |
| `delay_period` | none | packets wait |
| `prefix` | `ibc` | proofs of other entries |

Not compared: the deprecated flags `allow_update_after_*`, which have no effect. Other drivers have terms of
their own beside `client_type`, `allowed_relayers` and `consensus_states`.
"""

from collections.abc import Iterable

from ibc_core import paths as keys
from ibc_core.connection.types import COMPATIBLE_VERSIONS, ConnectionEnd, Version
from ibc_core.errors import InvalidIdentifier
from ibc_core.identifiers import parse_client_id
from ibc_core.packet_v2.states import decode_config
from ibc_relayer.driver import ClientDriver, Difference, Terms, differences_in
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.rpc_read import read_answer

NOTHING: Terms = frozenset()
"""No difference is accepted."""


def client_type_differences(client_id: str, driver: ClientDriver) -> list[Difference]:
    """Whether the client is of the type that `driver` creates."""
    try:
        theirs = parse_client_id(client_id)[0]
    except InvalidIdentifier:
        theirs = client_id[:64]
    return differences_in([("client_type", driver.client_type, theirs)])


def relayer_differences(host: ChainEndpoint, client_id: str) -> list[Difference]:
    """Whether the client's configuration (IBC v2) names relayers.

    Raises:
        MalformedAnswer: the entry does not decode.
    """
    raw = host.get(keys.client_config_path(client_id))
    allowed = read_answer(host.chain_id, client_id, lambda: decode_config(raw), host) if raw else ()
    return differences_in([("allowed_relayers", "any", repr(allowed) if allowed else "any")])


def connection_differences(end: ConnectionEnd) -> list[Difference]:
    """How a connection end differs from one of ours. An end in INIT may still offer several versions."""
    return differences_in(
        [
            ("versions", _versions(COMPATIBLE_VERSIONS), _versions(end.versions)),
            ("delay_period", "0 ns", f"{end.delay_period_ns} ns"),
            ("prefix", repr(keys.COMMITMENT_PREFIX), repr(end.counterparty.prefix)),
        ]
    )


def unaccepted(differences: Iterable[Difference], accepted: Terms) -> tuple[Difference, ...]:
    """The differences in terms that are not among the accepted ones."""
    # guard: h130-any-accepted-term-accepts-all {each.term not in accepted => not accepted}
    #   test_h130_a_stranger_s_client_with_other_terms_is_not_built_upon
    return tuple(each for each in differences if each.term not in accepted)


def _versions(versions: Iterable[Version]) -> str:
    return repr([tuple(each) for each in versions])

"""Connection ends and the verification of proofs over a connection (ICS-3).

Writes `connections/`, `clients/{id}/connections`, the connection counter and parameters.
"""

from ibc_core import paths
from ibc_core.connection.types import ConnectionEnd, ConnectionState
from ibc_core.errors import ConnectionNotFound, InvalidConnectionState, LogicFault
from ibc_core.height import Height
from ibc_core.host.context import ReadContext, WriteContext
from ibc_core.wire import states
from keepers import sequences
from keepers.client.keeper import ClientKeeper
from light_client.interface import Claim, ProofEffect


class ConnectionKeeper:
    """The connections of this chain."""

    def __init__(self, clients: ClientKeeper) -> None:
        self._clients = clients

    def get(self, ctx: ReadContext, connection_id: str) -> ConnectionEnd:
        """The end called `connection_id`.

        Raises:
            ConnectionNotFound: there is none.
        """
        raw = ctx.ibc.get(paths.connection_path(connection_id))
        if raw is None:
            raise ConnectionNotFound(connection_id)
        return states.decode_connection_end(raw)

    def has(self, ctx: ReadContext, connection_id: str) -> bool:
        """Whether there is an end called `connection_id`."""
        return ctx.ibc.has(paths.connection_path(connection_id))

    def get_open(self, ctx: ReadContext, connection_id: str) -> ConnectionEnd:
        """The end called `connection_id`, which is OPEN.

        Raises:
            ConnectionNotFound: there is none.
            InvalidConnectionState: it is not OPEN.
        """
        end = self.get(ctx, connection_id)
        if end.state is not ConnectionState.OPEN:
            raise InvalidConnectionState(connection_id, ConnectionState.OPEN.name, end.state.name)
        return end

    def set(self, ctx: WriteContext, connection_id: str, end: ConnectionEnd) -> None:
        """Writes an end."""
        ctx.ibc.set(paths.connection_path(connection_id), states.encode_connection_end(end))

    def next_connection_id(self, ctx: WriteContext) -> str:
        """A new identifier, `connection-{N}`."""
        return f"connection-{sequences.take(ctx, paths.NEXT_CONNECTION_SEQUENCE)}"

    def add_to_client(self, ctx: WriteContext, client_id: str, connection_id: str) -> None:
        """Lists the connection with its client."""
        path = paths.client_connections_path(client_id)
        raw = ctx.ibc.get(path)
        known = () if raw is None else states.decode_client_paths(raw)
        ctx.ibc.set(path, states.encode_client_paths((*known, connection_id)))

    def max_expected_time_per_block(self, ctx: ReadContext) -> int:
        """The parameter of that name, nanoseconds.

        Raises:
            LogicFault: genesis did not set it.
        """
        raw = ctx.ibc.get(paths.CONNECTION_PARAMS)
        if raw is None:
            raise LogicFault("connection parameters are not set")
        return states.decode_connection_params(raw)

    def set_max_expected_time_per_block(self, ctx: WriteContext, time_ns: int) -> None:
        """Sets the parameter of that name, nanoseconds."""
        ctx.ibc.set(paths.CONNECTION_PARAMS, states.encode_connection_params(time_ns))

    def verify(
        self, ctx: ReadContext, end: ConnectionEnd, height: Height, proof: bytes, path: bytes, value: bytes
    ) -> ProofEffect | None:
        """Checks that the other chain has `value` at `path`, without delay: handshakes.

        Returns:
            What `ClientKeeper.settle` must write when the message is executed; the other two return the same.

        Raises:
            ClientNotActive: the connection's client is not Active.
            InvalidProof: the proof does not show it.
        """
        claim = Claim(height, proof, (end.counterparty.prefix, path), value)
        return self._clients.verify_membership(ctx, end.client_id, claim)

    def verify_packet(
        self,
        ctx: ReadContext,
        end: ConnectionEnd,
        height: Height,
        proof: bytes,
        path: bytes,
        value: bytes,
    ) -> ProofEffect | None:
        """Checks that the other chain has `value` at `path`, after the connection's delay: packets.

        Raises:
            ClientNotActive: the connection's client is not Active.
            DelayPeriodNotPassed: the header is too fresh.
            InvalidProof: the proof does not show it.
        """
        delay_ns, blocks = end.delay_period_ns, self._block_delay(ctx, end.delay_period_ns)
        claim = Claim(height, proof, (end.counterparty.prefix, path), value, delay_ns, blocks)
        # guard: h23-packets-need-no-proof test_h23_a_proof_from_another_store_is_refused
        #   test_recv::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused
        #   test_acknowledge::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused
        return self._clients.verify_membership(ctx, end.client_id, claim)

    def verify_packet_absent(
        self,
        ctx: ReadContext,
        end: ConnectionEnd,
        height: Height,
        proof: bytes,
        path: bytes,
    ) -> ProofEffect | None:
        """Checks that the other chain has nothing at `path`, after the connection's delay.

        Raises:
            ClientNotActive: the connection's client is not Active.
            DelayPeriodNotPassed: the header is too fresh.
            InvalidProof: the proof does not show it.
        """
        delay_ns, blocks = end.delay_period_ns, self._block_delay(ctx, end.delay_period_ns)
        claim = Claim(height, proof, (end.counterparty.prefix, path), b"", delay_ns, blocks)
        # guard: h23-absence-needs-no-proof test_h23_an_absence_in_another_store_is_refused
        #   test_timeout::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused
        return self._clients.verify_non_membership(ctx, end.client_id, claim)

    def _block_delay(self, ctx: ReadContext, delay_ns: int) -> int:
        """The delay as a number of blocks of this chain, rounded up."""
        if delay_ns == 0:
            return 0
        time_per_block = self.max_expected_time_per_block(ctx)
        return -(-delay_ns // time_per_block) if time_per_block else 0

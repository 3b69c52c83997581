"""State of ICS-3: connection ends, and verification of proofs over a connection.

`ConnectionKeeper` writes `connections/`, `clients/{id}/connections`, the connection counter and parameters.
"""

from keepers import sequences
from keepers.client import ClientKeeper
from light_client.interface import Claim, ProofEffect
from pyibc.core import paths
from pyibc.core.connection.types import ConnectionEnd, ConnectionState
from pyibc.core.errors import ConnectionNotFound, InvalidConnectionState, LogicFault
from pyibc.core.height import Height
from pyibc.core.host.context import ReadContext, WriteContext
from pyibc.core.wire import states


class ConnectionKeeper:
    """The connections of this chain."""

    def __init__(self, clients: ClientKeeper) -> None:
        self._clients = clients

    def get(self, ctx: ReadContext, connection_id: str) -> ConnectionEnd:
        """Return the connection end `connection_id`.

        Raises:
            ConnectionNotFound: there is no such connection.
        """
        raw = ctx.ibc.get(paths.connection_path(connection_id))
        if raw is None:
            raise ConnectionNotFound(connection_id)
        return states.decode_connection_end(raw)

    def has(self, ctx: ReadContext, connection_id: str) -> bool:
        """Return whether the connection end `connection_id` exists."""
        return ctx.ibc.has(paths.connection_path(connection_id))

    def get_open(self, ctx: ReadContext, connection_id: str) -> ConnectionEnd:
        """Return the OPEN connection end `connection_id`.

        Raises:
            ConnectionNotFound: there is no such connection.
            InvalidConnectionState: the connection is not OPEN.
        """
        end = self.get(ctx, connection_id)
        if end.state is not ConnectionState.OPEN:
            raise InvalidConnectionState(connection_id, ConnectionState.OPEN.name, end.state.name)
        return end

    def set(self, ctx: WriteContext, connection_id: str, end: ConnectionEnd) -> None:
        """Write a connection end."""
        ctx.ibc.set(paths.connection_path(connection_id), states.encode_connection_end(end))

    def next_connection_id(self, ctx: WriteContext) -> str:
        """Return a new identifier, `connection-{N}`, incrementing the counter."""
        return f"connection-{sequences.increment(ctx, paths.NEXT_CONNECTION_SEQUENCE)}"

    def add_to_client(self, ctx: WriteContext, client_id: str, connection_id: str) -> None:
        """Add the connection to the list of its client's connections."""
        path = paths.client_connections_path(client_id)
        raw = ctx.ibc.get(path)
        known = () if raw is None else states.decode_client_paths(raw)
        ctx.ibc.set(path, states.encode_client_paths((*known, connection_id)))

    def max_expected_time_per_block(self, ctx: ReadContext) -> int:
        """Return the parameter `max_expected_time_per_block`, in nanoseconds.

        Raises:
            LogicFault: genesis did not set it.
        """
        raw = ctx.ibc.get(paths.CONNECTION_PARAMS)
        if raw is None:
            raise LogicFault("connection parameters are not set")
        return states.decode_connection_params(raw)

    def set_max_expected_time_per_block(self, ctx: WriteContext, time_ns: int) -> None:
        """Set the parameter `max_expected_time_per_block`, in nanoseconds."""
        ctx.ibc.set(paths.CONNECTION_PARAMS, states.encode_connection_params(time_ns))

    def verify(
        self, ctx: ReadContext, end: ConnectionEnd, height: Height, proof: bytes, path: bytes, value: bytes
    ) -> ProofEffect | None:
        """Verify, without a delay, that the counterparty chain has `value` at `path`; for handshakes.

        Returns:
            The effect for `ClientKeeper.apply_effect` when the message is executed.

        Raises:
            ClientNotActive: the connection's client is not Active.
            InvalidProof: the proof does not verify.
        """
        claim = Claim(height, proof, (end.counterparty.prefix, path), value)
        return self._clients.verify_membership(ctx, end.client_id, claim)

    def verify_packet(
        self, ctx: ReadContext, end: ConnectionEnd, height: Height, proof: bytes, path: bytes, value: bytes
    ) -> ProofEffect | None:
        """Verify, after the delay period, that the counterparty chain has `value` at `path`; for packets.

        Raises:
            ClientNotActive: the connection's client is not Active.
            DelayPeriodNotPassed: the delay period has not passed.
            InvalidProof: the proof does not verify.
        """
        claim = self._claim(ctx, end, height, proof, path, value)
        # guard: h23-packets-need-no-proof test_h23_a_proof_from_another_store_is_refused
        #   test_recv::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused
        #   test_acknowledge::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused
        return self._clients.verify_membership(ctx, end.client_id, claim)

    def verify_packet_absent(
        self, ctx: ReadContext, end: ConnectionEnd, height: Height, proof: bytes, path: bytes
    ) -> ProofEffect | None:
        """Verify, after the delay period, that the counterparty chain has nothing at `path`.

        Raises:
            ClientNotActive: the connection's client is not Active.
            DelayPeriodNotPassed: the delay period has not passed.
            InvalidProof: the proof does not verify.
        """
        claim = self._claim(ctx, end, height, proof, path, b"")
        # guard: h23-absence-needs-no-proof test_h23_an_absence_in_another_store_is_refused
        #   test_timeout::test_h18_a_bit_flipped_anywhere_in_the_proof_is_refused
        return self._clients.verify_non_membership(ctx, end.client_id, claim)

    def _claim(
        self, ctx: ReadContext, end: ConnectionEnd, height: Height, proof: bytes, path: bytes, value: bytes
    ) -> Claim:
        """Return a claim that is accepted after the connection's delay period."""
        blocks = self._block_delay(ctx, end.delay_period_ns)
        return Claim(height, proof, (end.counterparty.prefix, path), value, end.delay_period_ns, blocks)

    def _block_delay(self, ctx: ReadContext, delay_ns: int) -> int:
        """Return the delay as a number of blocks of this chain, rounded up."""
        if delay_ns == 0:
            return 0
        time_per_block = self.max_expected_time_per_block(ctx)
        return -(-delay_ns // time_per_block) if time_per_block else 0

"""Refresh of a light client before it expires, and the time left until then.

Updates with packets keep a client of a busy path from expiring; a client without them is refreshed when two
thirds of its trusting period have passed. Nothing is remembered: what counts is the client's state.
"""

from collections.abc import Iterable
from contextlib import suppress

from pyibc.relayer.clients.foreign_client import ForeignClient, Lifetime
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.client_watch import Report
from pyibc.relayer.metrics import ClientExpiry

REREAD_NS = 600 * 10**9
"""Time of the host between two reads of a client, nanoseconds: updates with packets renew it as well."""


class ClientRefresh:
    """Lifetime of one client; the caller submits the refreshes."""

    def __init__(self, client: ForeignClient, report: Report | None) -> None:
        """Read the client.

        Args:
            client: on the host.
            report: gets an event for each refresh, and one for a refresh without effect.

        Raises:
            ClientUnusable: the client is expired or frozen.
            WrongCounterparty: the client does not exist, or is malformed.
            EndpointUnavailable, MalformedAnswer: the host does not answer, or its answer is malformed.
        """
        self._client = client
        self._report = report
        self._lifetime = client.lifetime()
        self._refreshed: Lifetime | None = None  # before the refresh whose effect is not known yet
        self._is_reported = False  # that the refresh has no effect

    @property
    def due_ns(self) -> int:
        """Time of the host from which the client should be refreshed, Unix nanoseconds."""
        return self._lifetime.due_ns

    @property
    def expiry(self) -> ClientExpiry | None:
        """Expiry of the client as it was read last; None: it never expires."""
        if not self._lifetime.trusting_ns:
            return None
        client = self._client
        expires_ns, trusting_ns = self._lifetime.expires_ns, self._lifetime.trusting_ns
        return ClientExpiry(
            client.host.chain_id, client.client_id, client.reference.chain_id, expires_ns, trusting_ns
        )

    @property
    def next_ns(self) -> int:
        """Time of the host from which `is_due` or `observe` reads the client again, Unix nanoseconds."""
        return min(self.due_ns, self._lifetime.read_ns + REREAD_NS)

    def observe(self, now_ns: int) -> None:
        """Read the client again if `REREAD_NS` have passed; `now_ns` is the host's time.

        A host that does not answer holds up nothing: the next call reads the client again.

        Raises:
            ClientUnusable, WrongCounterparty: as for the constructor.
        """
        # guard: an-expiry-of-a-busy-path-is-never-read-again drop
        #   test_the_expiry_of_a_client_follows_updates_with_packets
        if now_ns >= self._lifetime.read_ns + REREAD_NS:
            with suppress(EndpointUnavailable, EndpointRefused, MalformedAnswer):
                self._read()

    def is_due(self, now_ns: int) -> bool:
        """Return whether the client needs a refresh; the caller submits it before it calls again.

        The client is read again first, since another relayer may have updated it.

        Raises:
            RelayerError: as for the constructor.
        """
        if now_ns < self.due_ns:
            return False
        self._read()
        if self._refreshed is not None and not self._is_reported:
            self._is_reported = True
            self._emit("client not refreshed", self._lifetime)
        if now_ns < self.due_ns:
            return False
        self._refreshed = self._lifetime
        return True

    def _read(self) -> None:
        self._lifetime = self._client.lifetime()
        before = self._refreshed
        # guard: a-refresh-without-effect-is-told-as-done drop:self
        #   test_a_refresh_without_effect_is_told_once
        if before is not None and self._lifetime.expires_ns > before.expires_ns:
            self._refreshed, self._is_reported = None, False
            self._emit("client refreshed", before)

    def _emit(self, event: str, before: Lifetime) -> None:
        if self._report is None:
            return
        client = self._client
        facts = {"chain": client.host.chain_id, "client": client.client_id, "of": client.reference.chain_id}
        left_s = (before.expires_ns - self._lifetime.read_ns) // 10**9
        self._report(event, {**facts, "left_s": left_s, "expires_s": self._lifetime.expires_ns // 10**9})


def expiries_of(refreshes: Iterable[ClientRefresh]) -> tuple[ClientExpiry, ...]:
    """Return the expiries of the clients that expire."""
    return tuple(each.expiry for each in refreshes if each.expiry is not None)

"""Refresh of a light client before it expires, and the time left until then.

Updates with packets keep a client of a busy path from expiring; a client without them is refreshed when two
thirds of its trusting period have passed. What counts is the client's state. A false time of the host alone
makes no refresh due, since its header must be newer too; so a client is refreshed twelve times in a trusting
period at most.
"""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress

from pyibc.relayer.clients.foreign_client import ForeignClient, Lifetime
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.client_watch import Report
from pyibc.relayer.metrics import ClientExpiry

REREAD_NS = 600 * 10**9
"""Time of the host between two reads of a client, nanoseconds: updates with packets renew it as well."""
MIN_GAIN, FULL_GAIN = 12, 3
"""Fractions of the trusting period: a refresh must renew a client by the time that is left until its expiry,
at least by a twelfth of the period and at most by a third."""
FIRST_S, LONGEST_S = 60.0, 3600.0
"""First and longest pause after a refresh without effect, in seconds; doubled after each."""
MAX_PAUSE = 24
"""Maximum of that pause as a fraction of the trusting period."""


class ClientRefresh:
    """Lifetime of one client; the caller submits the refreshes."""

    def __init__(
        self, client: ForeignClient, report: Report | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Read the client.

        Args:
            client: on the host.
            report: gets an event for each refresh, and one for a refresh without effect.
            clock: returns seconds, for the pauses after refreshes without effect.

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
        self._clock = clock
        self._tries = 0  # refreshes since the last one with an effect
        self._until_s = float("-inf")  # end of the pause after the last one
        self._is_read = True  # since the last refresh
        self._is_held = False  # a refresh is due by the host's time alone

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
        reread_ns = self._lifetime.read_ns + REREAD_NS
        return reread_ns if self._is_held else min(self.due_ns, reread_ns)

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

    def is_due(self, now_ns: int, header_ns: int) -> bool:
        """Return whether the client needs a refresh; the caller submits it before it calls again.

        The client is read again first, since another relayer may have updated it.

        Args:
            now_ns: time of the host.
            header_ns: time of the reference chain's last header.

        Raises:
            RelayerError: as for the constructor.
        """
        self._is_held = False
        if now_ns < self.due_ns:
            return False
        if not self._is_read:
            self._read_effect()
        # guard: refreshes-for-a-false-time always
        #   test_a_false_time_of_the_host_makes_no_refresh_due_again
        if not self._is_worth(now_ns, header_ns):
            self._is_held = True
            return False
        self._read()
        if now_ns < self.due_ns or not self._is_worth(now_ns, header_ns):
            return False
        self._refreshed, self._is_read = self._lifetime, False
        self._until_s = self._clock() + self._pause_s()
        self._tries += 1
        return True

    def _read_effect(self) -> None:
        """Read the client after a refresh, and report one without effect."""
        self._read()
        self._is_read = True
        if self._refreshed is not None and not self._is_reported:
            self._is_reported = True
            self._emit("client not refreshed", self._lifetime)

    def _is_worth(self, now_ns: int, header_ns: int) -> bool:
        """Return whether a header of this time renews the client enough, and no pause is left."""
        lifetime = self._lifetime
        left_ns, trusting_ns = lifetime.expires_ns - now_ns, lifetime.trusting_ns
        gain_ns = max(min(left_ns, trusting_ns // FULL_GAIN), trusting_ns // MIN_GAIN)
        # guard: refreshes-without-effect-are-paid-for-ever drop:_until_s
        #   test_refreshes_without_effect_become_rare
        return header_ns - lifetime.updated_ns >= gain_ns and self._clock() >= self._until_s

    def _pause_s(self) -> float:
        longest_s = min(LONGEST_S, self._lifetime.trusting_ns / 10**9 / MAX_PAUSE)
        return min(longest_s, FIRST_S * 2.0 ** min(self._tries, 16))

    def _read(self) -> None:
        self._lifetime = self._client.lifetime()
        before = self._refreshed
        # guard: a-refresh-without-effect-is-told-as-done drop:self
        #   test_a_refresh_without_effect_is_told_once
        if before is not None and self._lifetime.expires_ns > before.expires_ns:
            self._refreshed, self._is_reported = None, False
            self._tries, self._until_s = 0, float("-inf")
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

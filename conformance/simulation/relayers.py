"""A relayer's process in a simulated network: one for all routes, with a persistent journal."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from math import inf
from pathlib import Path

from conformance.kit.seconds import SECONDS
from conformance.simulation.network import CallFaults, Connection
from conformance.simulation.path_discovery import discovered
from conformance.simulation.routes import Route
from pyibc.core.errors import IbcError
from pyibc.relayer.chain.endpoint import ChainEndpoint
from pyibc.relayer.errors import EndpointRefused, EndpointUnavailable, LedgerNotOpened, MalformedAnswer
from pyibc.relayer.links.link import Link
from pyibc.relayer.links.options import Options
from pyibc.relayer.money.ledger import Ledger
from pyibc.relayer.money.ledger_report import catch_up
from pyibc.relayer.paths.path import AnyPath
from pyibc.relayer.queue.link import QueueLink
from pyibc.relayer.queue.path import QueuePath
from pyibc.testing.faults import Crashed

OPTIONS = Options(sleep=lambda _: None, clock=SECONDS, retry_wait_s=inf)
JOURNAL, LEDGER = "journal.db", "fees.db"
_TABLES_BEFORE = """
PRAGMA journal_mode=WAL;
BEGIN;
CREATE TABLE paths (ends TEXT NOT NULL);
CREATE TABLE cursor (side INTEGER PRIMARY KEY, height INTEGER NOT NULL, app_hash BLOB NOT NULL);
CREATE TABLE closed (
  channel INTEGER, side INTEGER, height INTEGER NOT NULL, PRIMARY KEY (channel, side)
);
CREATE TABLE packet (
  channel INTEGER, sender INTEGER, sequence TEXT, stage INTEGER NOT NULL, height INTEGER NOT NULL,
  data BLOB NOT NULL, timeout_height TEXT NOT NULL, timeout_ns TEXT NOT NULL, acknowledgement BLOB NOT NULL,
  PRIMARY KEY (channel, sender, sequence)
);
INSERT INTO paths VALUES ('[]');
INSERT INTO cursor VALUES (0, 2, x''), (1, 2, x'');
COMMIT;
"""
"""Schema of a journal of version 1, which had a single link."""


class Relayer:
    """A process with a worker per route and one journal file."""

    def __init__(
        self,
        folder: Path,
        routes: Sequence[Route],
        ends: Sequence[Connection],
        call_faults: CallFaults,
        now: Callable[[], int],
        *,
        is_creator: bool,
    ) -> None:
        """Create it without a running process.

        Args:
            folder: Folder of its files.
            routes: Routes whose paths it has to find.
            ends: Connections to the chains, by chain number.
            call_faults: Faults of its calls.
            now: Returns its machine's current moment.
            is_creator: Whether its account created the clients of the routes.
        """
        self.folder = folder
        self.call_faults = call_faults
        self.ended: list[str] = []  # reasons why its processes ended
        self.wrong_paths: list[str] = []
        """Wrong paths that it chose."""
        self._is_creator = is_creator
        self.is_busy = False
        """True during a round."""
        folder.mkdir(exist_ok=True)
        self._journal = folder / JOURNAL
        self._routes = routes
        self._ends = ends
        self._chains: list[ChainEndpoint] = []  # of the current process, by chain number
        self._links: dict[int, Link | QueueLink] = {}
        self._ledger: Ledger | None = None
        self._now = now
        self.ended_at = now()
        """Moment at which its last process ended, before it closed its files."""
        self.lost_ledgers = 0
        """Number of lost ledgers; their fees are unknown."""

    @property
    def pending(self) -> int:
        """Number of packets it knows to be pending."""
        return sum(each.pending for each in self._links.values() if isinstance(each, Link))

    @property
    def wanted(self) -> int:
        """Number of packets it knows only by their commitments, and searches for."""
        return sum(each.metrics.wanted for each in self._links.values() if isinstance(each, Link))

    def round(self, number: int) -> bool:
        """Run a round on a route, in a new process if needed; return whether more work may be left.

        Errors that end `pyibc relay` end the process.
        """
        self.is_busy = True
        try:
            if self._ledger is None:
                self._ledger = self._begun()
            if number not in self._links:
                self._links[number] = self._opened(self._routes[number])
            return self._links[number].round()
        except (EndpointUnavailable, EndpointRefused, MalformedAnswer):
            return True
        except (Crashed, IbcError) as error:
            self.ended.append(f"{type(error).__name__}: {error}")
            self.stop()
            return True
        finally:
            self.is_busy = False

    def lose_journal(self) -> None:
        """End the process, and delete its disk."""
        self.stop()
        self.lost_ledgers += 1
        for file in self.folder.iterdir():
            file.unlink()

    def downgrade(self) -> None:
        """End the process, and replace its journal by one of the previous release."""
        self.lose_journal()
        with closing(sqlite3.connect(self._journal)) as db:
            db.executescript(_TABLES_BEFORE)

    def stop(self) -> None:
        """End the process without saving."""
        if self._ledger is not None:
            self.ended_at = self._now()
        links, self._links = self._links, {}
        for link in links.values():
            link.close()
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def settled(self) -> Ledger:
        """Return the ledger of a new process that reaches all chains; the caller closes it."""
        self.stop()
        return self._begun()

    def _begun(self) -> Ledger:
        """Begin a process: settle the open entries of its ledger."""
        try:
            ledger = Ledger(self.folder / LEDGER)
        except LedgerNotOpened as error:  # the disk is full: started again later
            raise EndpointUnavailable("all chains", error.reason) from error
        try:
            self._chains = [end.begin(ledger) for end in self._ends]
            for chain in self._chains:
                catch_up(ledger, chain)
        except BaseException:
            ledger.close()
            raise
        return ledger

    def _opened(self, route: Route) -> Link | QueueLink:
        a, b = (self._chains[each] for each in route.nodes)
        path = discovered(route, a, b, is_creator=self._is_creator)
        if path != route.path:
            self.wrong_paths.append(f"{_text(path)} for {_text(route.path)}")
        if isinstance(path, QueuePath):
            return QueueLink([path], a, b)
        return Link([path], a, b, journal=self._journal, options=OPTIONS)


def _text(path: AnyPath | QueuePath) -> str:
    """Return a text for a path, by its end on the first chain."""
    return path.a.client_id if isinstance(path, QueuePath) else " ".join(path.a)

"""A relayer's process in a simulated network: one for all routes, whose journal outlives it."""

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from conformance.simulation.looking import found
from conformance.simulation.network import Reach, Weather
from conformance.simulation.routes import Route
from ibc_core.errors import IbcError
from ibc_relayer.endpoint import ChainEndpoint
from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, LedgerNotOpened, MalformedAnswer
from ibc_relayer.ledger import Ledger
from ibc_relayer.ledger_catch_up import catch_up
from ibc_relayer.link import Link, Options
from ibc_relayer.path import AnyPath
from ibc_relayer.queue.link import QueueLink
from ibc_relayer.queue.path import QueuePath
from ibc_testing.faults import Crashed

OPTIONS = Options(sleep=lambda _: None)
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
"""Of a journal of version 1, which had one link alone."""


class Relayer:
    """A process with a worker for each route; all packets' journals are in one file."""

    def __init__(
        self,
        folder: Path,
        routes: Sequence[Route],
        ends: Sequence[Reach],
        weather: Weather,
        now: Callable[[], int],
        *,
        is_creator: bool,
    ) -> None:
        """Has no process yet.

        Args:
            folder: of its files.
            routes: what it has to find.
            ends: lead to the chains, by number.
            weather: befalls its calls.
            now: its machine's moment.
            is_creator: whether its account created the clients of the routes.
        """
        self.folder = folder
        self.weather = weather
        self.ended: list[str] = []  # why its processes ended
        self.strayed: list[str] = []
        """What it took for a route."""
        self._is_creator = is_creator
        self.is_busy = False
        """Whether a round is under way."""
        folder.mkdir(exist_ok=True)
        self._journal = folder / JOURNAL
        self._routes = routes
        self._ends = ends
        self._chains: list[ChainEndpoint] = []  # of this process, by number
        self._links: dict[int, Link | QueueLink] = {}
        self._ledger: Ledger | None = None
        self._now = now
        self.ended_at = now()
        """When its last process ended, before it closed anything."""
        self.lost_ledgers = 0
        """Of disks that are gone, each with what it knew of fees."""

    @property
    def pending(self) -> int:
        """Packets that it knows to be pending."""
        return sum(each.pending for each in self._links.values() if isinstance(each, Link))

    @property
    def wanted(self) -> int:
        """Packets that it knows by their commitments alone, and looks for."""
        return sum(each.metrics.wanted for each in self._links.values() if isinstance(each, Link))

    def round(self, number: int) -> bool:
        """One round on a route, of a new process if there is none; whether there may be more to do.

        What `pyibc relay` does not go on after ends the process.
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
        """The process ends, and its disk is gone."""
        self.stop()
        self.lost_ledgers += 1
        for file in self.folder.iterdir():
            file.unlink()

    def go_back(self) -> None:
        """The process ends, and one of the release before has run meanwhile: its journal is there."""
        self.lose_journal()
        with closing(sqlite3.connect(self._journal)) as db:
            db.executescript(_TABLES_BEFORE)

    def stop(self) -> None:
        """The process ends; what it had not saved is lost."""
        if self._ledger is not None:
            self.ended_at = self._now()
        links, self._links = self._links, {}
        for link in links.values():
            link.close()
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None

    def settled(self) -> Ledger:
        """The ledger of a new process that reaches all chains, for whoever closes it."""
        self.stop()
        return self._begun()

    def _begun(self) -> Ledger:
        """A process begins: what its ledger has open is settled."""
        try:
            ledger = Ledger(self.folder / LEDGER)
        except LedgerNotOpened as error:  # the disk is full: somebody starts it again
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
        path = found(route, a, b, is_creator=self._is_creator)
        if path != route.path:
            self.strayed.append(f"{_text(path)} for {_text(route.path)}")
        if isinstance(path, QueuePath):
            return QueueLink([path], a, b)
        return Link([path], a, b, journal=self._journal, options=OPTIONS)


def _text(path: AnyPath | QueuePath) -> str:
    """Its end on the first chain."""
    return path.a.client_id if isinstance(path, QueuePath) else " ".join(path.a)

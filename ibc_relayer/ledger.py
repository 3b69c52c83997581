"""The ledger: every transaction of ours, what it cost, and which packets it served. SQLite, one file.

A transaction is written before it is broadcast and settled by the block that includes it: killed at whatever
moment, the next start finds it (`ibc_relayer/ledger_catch_up.py`). Fees are those that the chain says it
deducted, so their sum is what the accounts lost, to the unit.
"""

import json
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from ibc_core.host.block import CommittedBlock, TxOutcome, tx_hash
from ibc_relayer.accounts import Signed
from ibc_relayer.charged import charge_of, passed_ante, sequences_of
from ibc_relayer.errors import LedgerMismatch, LedgerNotOpened, LedgerUnavailable
from ibc_relayer.served import served_by
from ibc_relayer.sqlite_marks import marks_of

_VERSION = 1
"""Of the tables."""
_APPLICATION = 0x6962636C
"""Marks a file as a ledger."""
_TABLES = frozenset(("tx", "fee", "served"))

_SCHEMA = f"""
BEGIN;
CREATE TABLE IF NOT EXISTS tx (
  hash BLOB PRIMARY KEY, chain TEXT NOT NULL, account TEXT NOT NULL, sequence TEXT NOT NULL,
  since TEXT NOT NULL, state TEXT NOT NULL, offered TEXT NOT NULL, kinds TEXT NOT NULL,
  gas_wanted TEXT NOT NULL, gas_used TEXT NOT NULL DEFAULT '0', height TEXT NOT NULL DEFAULT '0',
  code INTEGER NOT NULL DEFAULT 0, codespace TEXT NOT NULL DEFAULT '', payer TEXT NOT NULL DEFAULT ''
);
CREATE INDEX IF NOT EXISTS tx_state ON tx (state);
CREATE TABLE IF NOT EXISTS fee (
  hash BLOB NOT NULL, denom TEXT NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (hash, denom)
);
CREATE TABLE IF NOT EXISTS served (
  hash BLOB NOT NULL, path TEXT NOT NULL, sequence TEXT NOT NULL, PRIMARY KEY (hash, path, sequence)
);
CREATE INDEX IF NOT EXISTS served_packet ON served (path, sequence);
PRAGMA user_version={_VERSION};
PRAGMA application_id={_APPLICATION};
COMMIT;
"""  # chains count in uint64 and amounts in uint256, SQLite in int64: stored as text


class State(StrEnum):
    """What is known of a transaction."""

    PENDING = "pending"  # broadcast, or about to be
    REFUSED = "refused"  # by CheckTx of the node that was asked; another may have taken it
    UNPAID = "unpaid"  # in a block, but refused before its fee: it may be included again
    PAID = "paid"  # in a block
    REPLACED = "replaced"  # another one has its sequence: no block will include it


OPEN = (State.PENDING, State.REFUSED, State.UNPAID)
"""States that a block may still change."""


class Open(NamedTuple):
    """A transaction that a block may still include."""

    account: str
    sequence: int
    since: int  # the last block before which it was not included


class Ledger:
    """The transactions of one relayer on all its chains; safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        """Opens or creates the ledger in `file`.

        Raises:
            LedgerMismatch: the file is something else, which is left as it is, or of a later release.
            LedgerNotOpened: the disk is full, or anything else keeps SQLite from using it.
        """
        self._file = file
        self._lock = threading.RLock()
        self._open: dict[str, dict[bytes, Open]] = {}
        with self._reading():
            self._db = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
        try:
            with self._reading():
                self._prepare()
                self._load()
        except BaseException:
            self._db.close()
            raise

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._db.close()

    # -- accounts.Book

    def sent(self, chain_id: str, signed: Signed, height: int) -> None:
        """Writes down a transaction that is about to be broadcast after block `height`.

        Raises:
            LedgerUnavailable: it is not written down, and must not be broadcast.
        """
        key = tx_hash(signed.raw)
        served = {found for message in signed.messages if (found := served_by(message))}
        offered = ",".join(each.text for each in signed.fee)
        kinds = json.dumps(Counter(message.type_url for message in signed.messages), sort_keys=True)
        with self._lock:
            with self._writing(chain_id):
                self._db.execute(
                    "INSERT OR IGNORE INTO tx"
                    " (hash, chain, account, sequence, since, state, offered, kinds, gas_wanted)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        *(key, chain_id, signed.signer, str(signed.sequence), str(height)),
                        *(State.PENDING, offered, kinds, str(signed.gas)),
                    ),
                )
                rows = [(key, each.path, str(each.sequence)) for each in served]
                self._db.executemany("INSERT OR IGNORE INTO served VALUES (?, ?, ?)", rows)
                is_open = self._reopened(key)
            if is_open:
                entry = Open(signed.signer, signed.sequence, height)
                self._open.setdefault(chain_id, {}).setdefault(key, entry)

    def refused(self, raw: bytes, outcome: TxOutcome) -> None:
        """CheckTx refused it; should a block include it all the same, `observe` will see.

        Raises:
            LedgerUnavailable: it stays pending.
        """
        key = tx_hash(raw)
        with self._lock:
            chain_id = next((each for each, waiting in self._open.items() if key in waiting), "")
            with self._writing(chain_id):
                self._db.execute(
                    "UPDATE tx SET state=?, code=?, codespace=? WHERE hash=? AND state=?",
                    (State.REFUSED, outcome.code, outcome.codespace, key, State.PENDING),
                )

    def observe(self, block: CommittedBlock) -> None:
        """Settles the transactions of ours that `block` includes, or that one in it has replaced.

        A block may be observed many times.

        Raises:
            LedgerUnavailable: some of them are as they were; the block is to be read again.
        """
        with self._lock:
            waiting = self._open.get(block.chain_id)
            if not waiting:
                return
            for outcome in block.txs:
                key = tx_hash(outcome.tx)
                if key in waiting:
                    self._settle(block, key, outcome)
                else:
                    self._replaced_by(block.chain_id, waiting, outcome)

    def rows(self, query: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query: for reports.

        Raises:
            LedgerMismatch, LedgerNotOpened: the file cannot be read any more.
        """
        with self._lock, self._reading():
            return self._db.execute(query, parameters).fetchall()

    def chains(self) -> list[str]:
        """The ids of all chains in it."""
        return [row[0] for row in self.rows("SELECT DISTINCT chain FROM tx ORDER BY chain")]

    # -- what is open

    def open_of(self, chain_id: str) -> dict[bytes, Open]:
        """The transactions that blocks of a chain may still include, by hash."""
        with self._lock:
            return dict(self._open.get(chain_id, {}))

    def looked_until(self, chain_id: str, hashes: set[bytes], height: int) -> None:
        """No block up to `height` includes these.

        Raises:
            LedgerUnavailable: that will be looked for again.
        """
        with self._lock:
            waiting = self._open.get(chain_id, {})
            # guard: h228-looks-at-old-blocks-again drop:key
            #   test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block
            looked = {key for key in hashes & waiting.keys() if waiting[key].since < height}
            # guard: h227-looked-at-in-memory-first swap test_h227_what_could_not_be_changed_is_as_it_was
            with self._writing(chain_id):
                rows = [(str(height), key) for key in looked]
                self._db.executemany("UPDATE tx SET since=? WHERE hash=?", rows)
            waiting.update({key: waiting[key]._replace(since=height) for key in looked})

    # -- inside

    def _prepare(self) -> None:
        """Makes the tables, of which those of the first releases had no mark."""
        tables, of, version = marks_of(self._db)
        # guard: h233-a-ledger-in-another-program-s-file test_h233_another_program_s_database_is_left_as_it_is
        if of != _APPLICATION and (of or (tables and tables != _TABLES)):
            raise LedgerMismatch(str(self._file), "it is a database of something else")
        # guard: h233-a-ledger-of-a-later-release test_h233_another_program_s_database_is_left_as_it_is
        if version > _VERSION:
            raise LedgerMismatch(str(self._file), f"it is of version {version}, known is {_VERSION}")
        self._db.execute("PRAGMA synchronous=FULL")  # a transaction that is broadcast cannot be taken back
        self._db.execute("PRAGMA journal_mode=WAL")
        if (of, version) != (_APPLICATION, _VERSION):
            self._db.executescript(_SCHEMA)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """What SQLite says of the file, or of the machine, in our words."""
        try:
            yield
        except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:  # the latter: it was closed
            raise LedgerNotOpened(str(self._file), str(error)) from error
        except sqlite3.Error as error:
            raise LedgerMismatch(str(self._file), str(error)) from error

    def _load(self) -> None:
        wanted = ",".join("?" * len(OPEN))
        for key, chain, account, sequence, since in self._db.execute(
            f"SELECT hash, chain, account, sequence, since FROM tx WHERE state IN ({wanted})",  # noqa: S608
            OPEN,
        ):
            self._open.setdefault(chain, {})[key] = Open(account, int(sequence), int(since))

    @contextmanager
    def _writing(self, chain_id: str) -> Iterator[None]:
        """One transaction of the file; what is held in memory changes behind it, once all is on the disk."""
        with self._lock:
            try:
                with self._db:
                    self._db.execute("BEGIN IMMEDIATE")
                    yield
            # guard: h227-sqlite-s-own-words test_h227_what_could_not_be_changed_is_as_it_was
            except sqlite3.Error as error:
                raise LedgerUnavailable(chain_id, f"the ledger cannot be written: {error}") from error

    def _reopened(self, key: bytes) -> bool:
        """Whether blocks may still include it: the same bytes may have been broadcast before.

        A node that tells an old sequence has us sign again what is paid already: that stays as it is.
        """
        (state,) = self._db.execute("SELECT state FROM tx WHERE hash=?", (key,)).fetchone()
        if state not in {State.PENDING, State.PAID}:
            self._mark(key, State.PENDING)
        return bool(state != State.PAID)

    def _settle(self, block: CommittedBlock, key: bytes, outcome: TxOutcome) -> None:
        waiting, closed = self._open[block.chain_id], list[bytes]()
        with self._writing(block.chain_id):
            self._db.execute(
                "UPDATE tx SET height=?, gas_used=?, code=?, codespace=? WHERE hash=?",
                (str(block.height), str(outcome.gas_used), outcome.code, outcome.codespace, key),
            )
            if passed_ante(outcome):
                # guard: h227-settled-in-memory-first {=> for each in self._paid(waiting, key, outcome): del
                #   waiting[each]} test_h227_what_could_not_be_settled_is_open_and_settled_later
                closed = self._paid(waiting, key, outcome)
            else:  # neither its fee nor its sequence were taken
                self._mark(key, State.UNPAID)
        for each in closed:
            del waiting[each]

    def _replaced_by(self, chain_id: str, waiting: dict[bytes, Open], outcome: TxOutcome) -> None:
        """Another transaction has the sequences of some: later starts do not look for them.

        A block that this process reads later settles them all the same: this one may have been a lie.
        """
        used = sequences_of(outcome)
        gone = [key for key, each in waiting.items() if (each.account, each.sequence) in used] if used else []
        if gone:
            with self._writing(chain_id):
                for key in gone:
                    self._mark(key, State.REPLACED)

    def _paid(self, waiting: dict[bytes, Open], key: bytes, outcome: TxOutcome) -> list[bytes]:
        """Writes what it cost; returns what is open no more: it, and others with its sequence."""
        entry = waiting[key]
        self._pay(key, entry, outcome)
        self._mark(key, State.PAID)
        same = (entry.account, entry.sequence)
        others = [
            each for each, its in waiting.items() if (its.account, its.sequence) == same and each != key
        ]
        for each in others:
            self._mark(each, State.REPLACED)
        return [key, *others]

    def _pay(self, key: bytes, entry: Open, outcome: TxOutcome) -> None:
        (offered,) = self._db.execute("SELECT offered FROM tx WHERE hash=?", (key,)).fetchone()
        charge = charge_of(outcome, entry.account, offered)
        self._db.execute("UPDATE tx SET payer=? WHERE hash=?", (charge.payer, key))
        rows = [(key, each.denom, str(each.amount)) for each in charge.coins]
        self._db.executemany("INSERT OR REPLACE INTO fee VALUES (?, ?, ?)", rows)

    def _mark(self, key: bytes, state: State) -> None:
        self._db.execute("UPDATE tx SET state=? WHERE hash=?", (state, key))

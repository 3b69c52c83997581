"""Ledger of the relayer's transactions: their fees and the packets they covered, in one SQLite file.

A transaction is recorded before its broadcast and completed by the block that includes it. After a kill at
any moment, the next start finds it (`ledger_report.py`). Fees are those that the chain's events state, so
their sum is exactly the loss of the accounts.
"""

import json
import re
import sqlite3
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from pyibc.core.coin import Coin, coin
from pyibc.core.host.block import CommittedBlock, TxOutcome, tx_hash
from pyibc.relayer.errors import LedgerMismatch, LedgerNotOpened, LedgerUnavailable
from pyibc.relayer.money.accounts import SignedTx
from pyibc.relayer.money.sqlite_marks import marks_of
from pyibc.relayer.packets.packets import covered_packet

# -- fee of a transaction in a block, read from the chain's events
#
# The SDK's ante handler emits the fee in an event `tx`. Skip's fee market deducts the whole offered fee
# before the messages, and emits it after them, as fee and tip, if they succeed. Some chains (ibc-go's
# simapp) charge none.

_SEQUENCE = re.compile(r"([a-z0-9]{1,128})/(\d{1,20})", re.ASCII)
_COIN = re.compile(r"(\d{1,78})([a-zA-Z][a-zA-Z0-9/:._-]{2,127})", re.ASCII)


class Charge(NamedTuple):
    """Fee that was deducted, and the account that paid it."""

    coins: tuple[Coin, ...]
    payer: str  # bech32


def passed_ante(outcome: TxOutcome) -> bool:
    """Return whether fee and sequence were consumed: a transaction that fails before has no events."""
    return outcome.code == 0 or any(kind == "tx" for kind, _ in outcome.events)


def sequences_of(outcome: TxOutcome) -> set[tuple[str, int]]:
    """Return the accounts and sequences that a transaction consumed; empty if its chain emits none."""
    found = (_SEQUENCE.fullmatch(each["acc_seq"]) for each in _events(outcome, "tx", "acc_seq"))
    return {(each[1], int(each[2])) for each in found if each}


def charge_of(outcome: TxOutcome, account: str, offered: str) -> Charge:
    """Return the fee of a transaction that passed the ante handler.

    The ante handler's events come first and the post handler's last, so no message can forge them. A
    transaction that failed has only the ante handler's events.

    Args:
        outcome: Its result in the block.
        account: The signer; pays unless another payer is named.
        offered: The fee it offered, as text.
    """
    if not any(kind == "tx" for kind, _ in outcome.events):
        return Charge(read_coins(offered), account)  # the chain has no events of its ante handler
    # guard: h154-the-last-fee-that-is-told {_events(outcome, 'tx', 'fee') => iter([*_events(outcome, 'tx',
    #   'fee')][::-1])} test_h154_a_message_cannot_forge_the_fee
    emitted = next(_events(outcome, "tx", "fee"), None)
    if emitted is not None:
        return Charge(read_coins(emitted["fee"]), emitted.get("fee_payer") or account)
    paid, tips = list(_events(outcome, "fee_pay", "fee")), list(_events(outcome, "tip_pay", "tip"))
    if paid or tips:
        texts = [each[-1][name] for each, name in ((paid, "fee"), (tips, "tip")) if each]
        payer = paid[-1].get("fee_payer") if paid else tips[-1].get("tip_payer")
        return Charge(_sum(texts), payer or account)
    if outcome.code:
        spent = list(_events(outcome, "coin_spent", "amount"))
        payer = spent[0].get("spender") if spent else account
        return Charge(_sum([each["amount"] for each in spent]), payer or account)
    return Charge((), account)


def read_coins(text: str) -> tuple[Coin, ...]:
    """Return the coins of an event's text, such as `5atom,1800stake`; other texts are ignored."""
    found = (_COIN.fullmatch(part) for part in text.split(","))
    return tuple(coin(each[2], int(each[1])) for each in found if each)


def _sum(texts: list[str]) -> tuple[Coin, ...]:
    total: Counter[str] = Counter()
    for text in texts:
        total.update({each.denom: each.amount for each in read_coins(text)})
    return tuple(coin(denom, amount) for denom, amount in sorted(total.items()))


def _events(outcome: TxOutcome, kind: str, name: str) -> Iterator[dict[str, str]]:
    """Yield the events of a kind that have an attribute."""
    for each, attributes in outcome.events:
        if each == kind and any(key == name for key, _ in attributes):
            yield dict(attributes)


# -- the ledger

_VERSION = 1
"""Version of the tables."""
_APPLICATION = 0x6962636C
"""SQLite application id of a ledger."""
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
"""  # chains have uint64 and uint256 numbers, SQLite int64: stored as text


class TxState(StrEnum):
    """State of a transaction in the ledger."""

    PENDING = "pending"  # broadcast, or about to be
    REFUSED = "refused"  # by CheckTx of the queried node; another node may have accepted it
    UNPAID = "unpaid"  # in a block, but failed before its fee was deducted: it may be included again
    PAID = "paid"  # in a block
    REPLACED = "replaced"  # another transaction has its sequence: no block will include it


OPEN = (TxState.PENDING, TxState.REFUSED, TxState.UNPAID)
"""States that a block may still change."""


class OpenTx(NamedTuple):
    """Transaction that a block may still include."""

    account: str
    sequence: int
    since: int  # height of the last block known not to include it


class Ledger:
    """Transactions of one relayer on all its chains; safe to use from several threads."""

    def __init__(self, file: Path) -> None:
        """Open or create the ledger in `file`.

        Raises:
            LedgerMismatch: the file is not a ledger, and is left as it is; or it is of a later release.
            LedgerNotOpened: SQLite cannot use it now, for example because the disk is full.
        """
        self._file = file
        self._lock = threading.RLock()
        self._open: dict[str, dict[bytes, OpenTx]] = {}
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
        """Close the file."""
        with self._lock:
            self._db.close()

    # -- accounts.TxLog

    def sent(self, chain_id: str, signed: SignedTx, height: int) -> None:
        """Record a transaction that is about to be broadcast after block `height`.

        Raises:
            LedgerUnavailable: it was not recorded, and must not be broadcast.
        """
        key = tx_hash(signed.raw)
        covered = {found for message in signed.messages if (found := covered_packet(message))}
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
                        *(TxState.PENDING, offered, kinds, str(signed.gas)),
                    ),
                )
                rows = [(key, each.path, str(each.sequence)) for each in covered]
                self._db.executemany("INSERT OR IGNORE INTO served VALUES (?, ?, ?)", rows)
                is_open = self._reopened(key)
            if is_open:
                entry = OpenTx(signed.signer, signed.sequence, height)
                self._open.setdefault(chain_id, {}).setdefault(key, entry)

    def refused(self, raw: bytes, outcome: TxOutcome) -> None:
        """Record that CheckTx refused a transaction; `observe` notices if a block includes it nevertheless.

        Raises:
            LedgerUnavailable: the transaction stays pending.
        """
        key = tx_hash(raw)
        with self._lock:
            chain_id = next((each for each, waiting in self._open.items() if key in waiting), "")
            with self._writing(chain_id):
                self._db.execute(
                    "UPDATE tx SET state=?, code=?, codespace=? WHERE hash=? AND state=?",
                    (TxState.REFUSED, outcome.code, outcome.codespace, key, TxState.PENDING),
                )

    def observe(self, block: CommittedBlock) -> None:
        """Complete the relayer's transactions that `block` includes, or whose sequence it consumes.

        A block may be observed many times.

        Raises:
            LedgerUnavailable: some of them are unchanged; the block must be observed again.
        """
        with self._lock:
            waiting = self._open.get(block.chain_id)
            if not waiting:
                return
            for outcome in block.txs:
                key = tx_hash(outcome.tx)
                if key in waiting:
                    self._complete(block, key, outcome)
                else:
                    self._replaced_by(block.chain_id, waiting, outcome)

    def rows(self, query: str, parameters: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query, for reports.

        Raises:
            LedgerMismatch, LedgerNotOpened: the file can no longer be read.
        """
        with self._lock, self._reading():
            return self._db.execute(query, parameters).fetchall()

    def chains(self) -> list[str]:
        """Return the ids of all chains in the ledger."""
        return [row[0] for row in self.rows("SELECT DISTINCT chain FROM tx ORDER BY chain")]

    # -- open transactions

    def open_of(self, chain_id: str) -> dict[bytes, OpenTx]:
        """Return the transactions that blocks of a chain may still include, by hash."""
        with self._lock:
            return dict(self._open.get(chain_id, {}))

    def mark_searched(self, chain_id: str, hashes: set[bytes], height: int) -> None:
        """Record that no block up to `height` includes these transactions.

        Raises:
            LedgerUnavailable: the blocks will be searched again.
        """
        with self._lock:
            waiting = self._open.get(chain_id, {})
            # guard: h228-looks-at-old-blocks-again drop:key
            #   test_h228_a_node_behind_tells_the_sequence_and_one_ahead_the_last_block
            searched = {key for key in hashes & waiting.keys() if waiting[key].since < height}
            # guard: h227-looked-at-in-memory-first swap test_h227_what_could_not_be_changed_is_as_it_was
            with self._writing(chain_id):
                rows = [(str(height), key) for key in searched]
                self._db.executemany("UPDATE tx SET since=? WHERE hash=?", rows)
            waiting.update({key: waiting[key]._replace(since=height) for key in searched})

    # -- inside

    def _prepare(self) -> None:
        """Create the tables; ledgers of the first releases had no application id."""
        tables, of, version = marks_of(self._db)
        # guard: h233-a-ledger-in-another-program-s-file test_h233_another_program_s_database_is_left_as_it_is
        if of != _APPLICATION and (of or (tables and tables != _TABLES)):
            raise LedgerMismatch(str(self._file), "it is the database of another program")
        # guard: h233-a-ledger-of-a-later-release test_h233_another_program_s_database_is_left_as_it_is
        if version > _VERSION:
            raise LedgerMismatch(str(self._file), f"it has version {version}; this release reads {_VERSION}")
        self._db.execute("PRAGMA synchronous=FULL")  # a broadcast transaction cannot be taken back
        self._db.execute("PRAGMA journal_mode=WAL")
        if (of, version) != (_APPLICATION, _VERSION):
            self._db.executescript(_SCHEMA)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Convert SQLite's exceptions: about the machine, or about the file."""
        try:
            yield
        except (sqlite3.OperationalError, sqlite3.ProgrammingError) as error:  # the latter if it was closed
            raise LedgerNotOpened(str(self._file), str(error)) from error
        except sqlite3.Error as error:
            raise LedgerMismatch(str(self._file), str(error)) from error

    def _load(self) -> None:
        wanted = ",".join("?" * len(OPEN))
        for key, chain, account, sequence, since in self._db.execute(
            f"SELECT hash, chain, account, sequence, since FROM tx WHERE state IN ({wanted})",  # noqa: S608
            OPEN,
        ):
            self._open.setdefault(chain, {})[key] = OpenTx(account, int(sequence), int(since))

    @contextmanager
    def _writing(self, chain_id: str) -> Iterator[None]:
        """Run one transaction of the file; the caller changes its memory only after the commit."""
        with self._lock:
            try:
                with self._db:
                    self._db.execute("BEGIN IMMEDIATE")
                    yield
            # guard: h227-sqlite-s-own-words test_h227_what_could_not_be_changed_is_as_it_was
            except sqlite3.Error as error:
                raise LedgerUnavailable(chain_id, f"the ledger cannot be written: {error}") from error

    def _reopened(self, key: bytes) -> bool:
        """Return whether blocks may still include a transaction; its bytes may have been broadcast before.

        If a node returns an old sequence, a transaction that is already paid is signed again: it stays paid.
        """
        (state,) = self._db.execute("SELECT state FROM tx WHERE hash=?", (key,)).fetchone()
        if state not in {TxState.PENDING, TxState.PAID}:
            self._mark(key, TxState.PENDING)
        return bool(state != TxState.PAID)

    def _complete(self, block: CommittedBlock, key: bytes, outcome: TxOutcome) -> None:
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
            else:  # neither its fee nor its sequence was consumed
                self._mark(key, TxState.UNPAID)
        for each in closed:
            del waiting[each]

    def _replaced_by(self, chain_id: str, waiting: dict[bytes, OpenTx], outcome: TxOutcome) -> None:
        """Mark transactions whose sequences another one consumed: later starts do not search for them.

        A later block that includes one of them still completes it: this block may have been a lie.
        """
        used = sequences_of(outcome)
        gone = [key for key, each in waiting.items() if (each.account, each.sequence) in used] if used else []
        if gone:
            with self._writing(chain_id):
                for key in gone:
                    self._mark(key, TxState.REPLACED)

    def _paid(self, waiting: dict[bytes, OpenTx], key: bytes, outcome: TxOutcome) -> list[bytes]:
        """Record the fee; return the transactions that are no longer open: all of its sequence."""
        entry = waiting[key]
        self._pay(key, entry, outcome)
        self._mark(key, TxState.PAID)
        same = (entry.account, entry.sequence)
        others = [
            each for each, its in waiting.items() if (its.account, its.sequence) == same and each != key
        ]
        for each in others:
            self._mark(each, TxState.REPLACED)
        return [key, *others]

    def _pay(self, key: bytes, entry: OpenTx, outcome: TxOutcome) -> None:
        (offered,) = self._db.execute("SELECT offered FROM tx WHERE hash=?", (key,)).fetchone()
        charge = charge_of(outcome, entry.account, offered)
        self._db.execute("UPDATE tx SET payer=? WHERE hash=?", (charge.payer, key))
        rows = [(key, each.denom, str(each.amount)) for each in charge.coins]
        self._db.executemany("INSERT OR REPLACE INTO fee VALUES (?, ?, ?)", rows)

    def _mark(self, key: bytes, state: TxState) -> None:
        self._db.execute("UPDATE tx SET state=? WHERE hash=?", (state, key))

"""The RPC methods (CometBFT 0.38 `rpc/core`).

Parameters come from JSON (POST) or a query string (GET).
"""

from base64 import b64decode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from iavl import IavlError
from light_client.tendermint.codec import commit_from
from light_client.tendermint.comet_json import (
    write_block_id,
    write_commit,
    write_header,
    write_public_key,
    write_signed_header,
    write_validator,
)
from light_client.tendermint.types import SignedHeader
from localnet.chain import LocalChain
from localnet.comet.homes import params_json
from localnet.errors import LocalnetError
from localnet.event_index import EventQuery, parse_query
from localnet.storage.block_store import BlockRecord
from pyibc.chain.config import NAME, VERSION, local_node
from pyibc.chain.queries.store_query import QueryAnswer
from pyibc.codec.comet_json import Json, write_base64, write_hex
from pyibc.codec.gotime import format_rfc3339
from pyibc.core.comet import write_block_results, write_node_info, write_tx_result
from pyibc.core.errors import InvalidRequest
from pyibc.core.host.block import TxOutcome, tx_hash
from pyibc.core.numbers import MAX_I64
from pyibc.proto.tendermint.types import types_pb2

# -- JSON-RPC errors, as returned by CometBFT


@dataclass(eq=False)
class RpcError(Exception):
    """An error response: JSON-RPC code, its standard message, and details."""

    code: int
    message: str
    data: str

    def __str__(self) -> str:
        return f"{self.message}: {self.data}"


def invalid_params(data: str) -> RpcError:
    """Return the error for invalid method parameters."""
    return RpcError(-32602, "Invalid params", data)


def internal(data: str) -> RpcError:
    """Return the error for a failed request: no such block, a timeout, ..."""
    return RpcError(-32603, "Internal error", data)


# -- parameters


class Params:
    """Named parameters, with conversion by type."""

    def __init__(self, values: Mapping[str, Any], uri: bool) -> None:
        """Take the values; `uri` if they are from a query string, with quoted strings and 0x hex bytes."""
        self._values = values
        self._uri = uri

    def integer(self, name: str, default: int = 0) -> int:
        """Return an integer, also from its decimal string; `default` if absent, null or empty."""
        value = self._values.get(name)
        if value is None or value == "":
            return default
        text = str(value).strip('"') if type(value) in {int, str} else ""
        digits = text.removeprefix("-")
        if not digits.isascii() or not digits.isdigit() or len(digits) > 19:
            raise invalid_params(f"{name}: not an integer")
        if int(digits) > MAX_I64:
            raise invalid_params(f"{name}: beyond int64")
        return int(text)

    def text(self, name: str) -> str:
        """Return a string without lone surrogates, which JSON can express and no encoding can."""
        value = self._values.get(name, "")
        if not isinstance(value, str) or any("\ud800" <= each <= "\udfff" for each in value):
            raise invalid_params(f"{name}: not a string")
        return value.strip('"') if self._uri else value

    def flag(self, name: str) -> bool:
        """Return a boolean."""
        value = self._values.get(name, False)
        if value in (True, "true"):  # not a set: lists and objects of JSON are unhashable
            return True
        if value in (False, "false", "", None):
            return False
        raise invalid_params(f"{name}: not a boolean")

    def base64(self, name: str) -> bytes:
        """Return bytes: base64 in JSON; 0x hex or a quoted string in a query string."""
        text = self.text(name)
        if self._uri:
            return self._uri_bytes(name, str(self._values.get(name, "")))
        try:
            return b64decode(text, validate=True)
        except ValueError:
            raise invalid_params(f"{name}: not base64") from None

    def hex(self, name: str) -> bytes:
        """Return bytes: hex in JSON; 0x hex or a quoted string in a query string."""
        if self._uri:
            return self._uri_bytes(name, str(self._values.get(name, "")))
        return _from_hex(name, self.text(name))

    @staticmethod
    def _uri_bytes(name: str, raw: str) -> bytes:
        if raw.startswith(("0x", "0X")):
            return _from_hex(name, raw[2:])
        return raw.strip('"').encode()


def _from_hex(name: str, text: str) -> bytes:
    try:
        data = bytes.fromhex(text)
    except ValueError:
        raise invalid_params(f"{name}: not hex") from None
    if data.hex() != text.lower():  # fromhex skips whitespace
        raise invalid_params(f"{name}: not hex")
    return data


def query_answer(answer: QueryAnswer) -> Json:
    """Return the JSON of an ABCI Query response."""
    ops = [
        {"type": op.kind, "key": write_base64(op.key), "data": write_base64(op.data)} for op in answer.proof
    ]
    return {
        "code": answer.code,
        "log": answer.log,
        "info": "",
        "index": "0",
        "key": write_base64(answer.key),
        "value": write_base64(answer.value),
        "proofOps": {"ops": ops} if ops else None,
        "height": str(answer.height),
        "codespace": answer.codespace,
    }


_T = TypeVar("_T")
Method = Callable[[Params], Json]

_PER_PAGE, _MAX_PER_PAGE = 30, 100
_INCLUSION_S = 10.0


class Methods:
    """The RPC methods of one chain's node."""

    def __init__(self, chain: LocalChain, listen: str) -> None:
        """Take the chain and the address that its RPC listens on."""
        self._chain = chain
        self._listen = listen
        self.table: dict[str, Method] = {
            "health": lambda _: {},
            "status": self._status,
            "abci_info": self._abci_info,
            "abci_query": self._abci_query,
            "block": self._block,
            "header": self._header,
            "block_results": self._block_results,
            "commit": self._commit,
            "validators": self._validators,
            "consensus_params": self._consensus_params,
            "broadcast_tx_async": self._broadcast,
            "broadcast_tx_sync": self._broadcast,
            "broadcast_tx_commit": self._broadcast_commit,
            "tx": self._tx,
            "tx_search": self._tx_search,
            "block_search": self._block_search,
        }

    def call(self, name: str, params: Params) -> Json:
        """Call the method `name`.

        Raises:
            RpcError: the method does not exist, or failed.
        """
        method = self.table.get(name)
        if method is None:
            raise RpcError(-32601, "Method not found", name[:64])
        try:
            return method(params)
        except (LocalnetError, IavlError) as error:
            raise internal(str(error)) from error

    def _record(self, params: Params) -> BlockRecord:
        return self._chain.record(self._asked(params))

    def _asked(self, params: Params) -> int:
        """Return the requested height, by default the last one; raise RpcError if it is negative."""
        height = params.integer("height")
        # guard: h76-heights-below-zero-are-looked-up test_h76_a_height_below_zero_is_refused_by_every_method
        if height < 0:
            raise internal(f"height must be greater than 0, but got {height}")
        return height or self._chain.height

    def _asked_next(self, params: Params) -> int:
        """Return the requested height, which may be one above the last block."""
        height = self._asked(params)
        if height > self._chain.height + 1:
            raise internal(f"height {height} must be less than or equal to the current blockchain height")
        return height

    def _status(self, _: Params) -> Json:
        chain = self._chain
        last, first = chain.record(chain.height), chain.oldest()
        key = chain.keys[0]
        power = next(
            (m.power for m in chain.validators(chain.height).validators if m.address == key.address), 0
        )
        return {
            "node_info": write_node_info(local_node(chain.app.config, self._listen)),
            "sync_info": {**_sync("latest", last), **_sync("earliest", first), "catching_up": False},
            "validator_info": {
                "address": write_hex(key.address),
                "pub_key": write_public_key(key.validator(1)),
                "voting_power": str(power),
            },
        }

    def _abci_info(self, _: Params) -> Json:
        info = self._chain.app.info()
        return {
            "response": {
                "data": NAME,
                "version": VERSION,
                "last_block_height": str(info.height),
                "last_block_app_hash": write_base64(info.app_hash),
            }
        }

    def _abci_query(self, params: Params) -> Json:
        answer = self._chain.query(
            params.text("path"), params.hex("data"), params.integer("height"), params.flag("prove")
        )
        return {"response": query_answer(answer)}

    def _block(self, params: Params) -> Json:
        return self._block_of(self._record(params))

    def _block_of(self, record: BlockRecord) -> Json:
        last_commit = commit_from(types_pb2.Commit.FromString(record.last_commit))
        block = {
            "header": write_header(record.header),
            "data": {"txs": [write_base64(each.tx) for each in record.result.txs]},
            "evidence": {"evidence": []},
            "last_commit": write_commit(last_commit),
        }
        return {"block_id": write_block_id(record.block_id), "block": block}

    def _header(self, params: Params) -> Json:
        return {"header": write_header(self._record(params).header)}

    def _block_results(self, params: Params) -> Json:
        return write_block_results(self._record(params).result)

    def _commit(self, params: Params) -> Json:
        header, raw = self._chain.signed_header(self._asked(params))
        signed = write_signed_header(SignedHeader(header, commit_from(types_pb2.Commit.FromString(raw))))
        return {"signed_header": signed, "canonical": header.height < self._chain.height}

    def _validators(self, params: Params) -> Json:
        height = self._asked_next(params)
        members = self._chain.validators(height).validators
        shown = _cut(members, params)
        return {
            "block_height": str(height),
            "validators": [write_validator(member) for member in shown],
            "count": str(len(shown)),
            "total": str(len(members)),
        }

    def _consensus_params(self, params: Params) -> Json:
        told = params_json(self._chain.app.config, self._chain.retention)
        return {"block_height": str(self._asked_next(params)), "consensus_params": told}

    def _broadcast(self, params: Params) -> Json:
        raw = params.base64("tx")
        outcome = self._chain.submit(raw)
        return {
            "code": outcome.code,
            "data": "",
            "log": outcome.log,
            "codespace": outcome.codespace,
            "hash": write_hex(tx_hash(raw)),
        }

    def _broadcast_commit(self, params: Params) -> Json:
        raw = params.base64("tx")
        digest = tx_hash(raw)
        before = self._chain.blocks.find_tx(digest)  # a run that failed, of the same bytes
        checked = self._chain.submit(raw)
        answer: Json = {"check_tx": write_tx_result(checked), "hash": write_hex(digest)}
        if checked.code:
            return {**answer, "tx_result": write_tx_result(TxOutcome(b"", 0, "", (), 0, 0)), "height": "0"}
        with self._chain.lock:
            # guard: h272-an-earlier-run-is-told-as-this-one
            #   {self._chain.has_new_run(digest, before) => self._chain.find_tx(digest) is not None}
            #   test_h272_a_commit_is_told_of_the_run_that_it_waited_for
            ran = self._chain.committed.wait_for(
                lambda: self._chain.has_new_run(digest, before), _INCLUSION_S
            )
            found = self._chain.find_tx(digest) if ran else None
        if found is None:
            raise internal("timed out waiting for tx to be included in a block")
        return {**answer, "tx_result": write_tx_result(found[1]), "height": str(found[0])}

    def _tx(self, params: Params) -> Json:
        digest = params.base64("hash")
        if len(digest) != 32:
            raise invalid_params("hash: not 32 bytes")
        place = self._chain.tx_place(digest)
        if place is None:
            raise internal(f"tx ({digest.hex()}) not found, err: not there")
        return self._tx_at(*place)

    def _tx_at(self, height: int, index: int) -> Json:
        outcome = self._chain.block(height).txs[index]
        return {
            "hash": write_hex(tx_hash(outcome.tx)),
            "height": str(height),
            "index": index,
            "tx_result": write_tx_result(outcome),
            "tx": write_base64(outcome.tx),
        }

    def _tx_search(self, params: Params) -> Json:
        query = _query(params)
        if query.digest is not None:
            place = self._chain.tx_place(query.digest)
            found = [place] if place is not None else []
        else:
            found = [(each.height, each.number) for each in self._chain.events.txs(query)]
        shown = _page(found, params, "asc")
        return {"txs": [self._tx_at(*place) for place in shown], "total_count": str(len(found))}

    def _block_search(self, params: Params) -> Json:
        found = self._chain.events.blocks(_query(params))
        blocks = [self._block_of(self._chain.record(height)) for height in _page(found, params, "desc")]
        return {"blocks": blocks, "total_count": str(len(found))}


def _query(params: Params) -> EventQuery:
    try:
        return parse_query(params.text("query"))
    except InvalidRequest as error:
        raise internal(str(error)) from error


def _page(found: Sequence[_T], params: Params, default: str) -> Sequence[_T]:
    """Return a page of search results, in the order given by `order_by`."""
    order = params.text("order_by") or default
    if order not in {"asc", "desc"}:
        raise internal("expected order_by to be either `asc` or `desc` or empty")
    return _cut(found if order == "asc" else found[::-1], params)


def _cut(items: Sequence[_T], params: Params) -> Sequence[_T]:
    """Return the page given by `page` and `per_page`; raise RpcError if it is out of range."""
    size = min(params.integer("per_page", _PER_PAGE), _MAX_PER_PAGE)
    size = size if size > 0 else _PER_PAGE
    page, pages = params.integer("page", 1) or 1, max(1, -(-len(items) // size))
    if not 0 < page <= pages:
        raise internal(f"page should be within [1, {pages}] range, given {page}")
    return items[(page - 1) * size : page * size]


def _sync(when: str, record: BlockRecord) -> Json:
    return {
        f"{when}_block_hash": write_hex(record.block_id.hash),
        f"{when}_app_hash": write_hex(record.header.app_hash),
        f"{when}_block_height": str(record.header.height),
        f"{when}_block_time": format_rfc3339(record.header.time_ns),
    }

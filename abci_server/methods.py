"""The ABCI methods: decoding of requests, calls of the application, encoding of responses.

Each function fills its part of a Response. The table defines which methods exclude each other and how each
handles an exception; `Dispatcher` waits for a method's lock and calls the application.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from enum import Enum, auto
from threading import Event, RLock
from typing import Any, NamedTuple, NoReturn, cast

from abci_server.application import Application
from abci_server.errors import (
    AbciError,
    AnswerHeld,
    ApplicationFailed,
    PeerGone,
    RateLimitedLog,
    ServerStopped,
    UnknownRequest,
    readable,
)
from abci_server.messages import decode, encode
from abci_server.messages.requests import OfferResult
from pyibc.proto.tendermint.abci import types_pb2 as pb


class Turn(Enum):
    """Lock that a method waits for."""

    CONSENSUS = auto()  # other consensus methods
    COMMIT = auto()  # those, and CheckTx
    MEMPOOL = auto()  # other CheckTx, Commit
    NONE = auto()


Refuse = Callable[[AbciError, pb.Response], None]
"""Function that fills a response with a refusal."""


class Method(NamedTuple):
    """Handling of one type of request."""

    serve: Callable[[Application, Any, pb.Response], None]  # application, request message, response to fill
    turn: Turn
    refuse: Refuse | None = None
    """Response to an exception; None if the application has failed then, and the process must stop."""


def _info(app: Application, request: pb.RequestInfo, response: pb.Response) -> None:
    encode.info(app.info(decode.info(request)), response.info)
    encode.chosen(response.info)


def _init_chain(app: Application, request: pb.RequestInitChain, response: pb.Response) -> None:
    encode.init_chain(app.init_chain(decode.init_chain(request)), response.init_chain)
    encode.chosen(response.init_chain)


def _query(app: Application, request: pb.RequestQuery, response: pb.Response) -> None:
    encode.query(app.query(decode.query(request)), response.query)
    encode.chosen(response.query)


def _refuse_query(error: AbciError, response: pb.Response) -> None:
    response.query.code, response.query.log = error.code, readable(error.log)
    response.query.codespace = error.codespace


def _check_tx(app: Application, request: pb.RequestCheckTx, response: pb.Response) -> None:
    encode.tx_result(app.check_tx(decode.check_tx(request)), response.check_tx)
    encode.chosen(response.check_tx)


def _refuse_tx(error: AbciError, response: pb.Response) -> None:
    response.check_tx.code, response.check_tx.log = error.code, readable(error.log)
    response.check_tx.codespace = error.codespace


def _prepare_proposal(app: Application, request: pb.RequestPrepareProposal, response: pb.Response) -> None:
    txs = app.prepare_proposal(decode.prepare_proposal(request))
    encode.prepare_proposal(txs, request.max_tx_bytes, response.prepare_proposal)
    encode.chosen(response.prepare_proposal)


def _process_proposal(app: Application, request: pb.RequestProcessProposal, response: pb.Response) -> None:
    accepted = app.process_proposal(decode.process_proposal(request))
    status = pb.ResponseProcessProposal
    response.process_proposal.status = status.ACCEPT if accepted else status.REJECT


def _finalize_block(app: Application, request: pb.RequestFinalizeBlock, response: pb.Response) -> None:
    answer = app.finalize_block(decode.finalize_block(request))
    encode.finalize_block(answer, len(request.txs), response.finalize_block)
    encode.chosen(response.finalize_block)


def _commit(app: Application, _request: pb.RequestCommit, response: pb.Response) -> None:
    response.commit.retain_height = app.commit()
    encode.chosen(response.commit)


def _extend_vote(app: Application, request: pb.RequestExtendVote, response: pb.Response) -> None:
    response.extend_vote.vote_extension = app.extend_vote(decode.extend_vote(request))
    encode.chosen(response.extend_vote)


def _verify_vote_extension(
    app: Application, request: pb.RequestVerifyVoteExtension, response: pb.Response
) -> None:
    valid = app.verify_vote_extension(decode.verify_vote_extension(request))
    status = pb.ResponseVerifyVoteExtension
    response.verify_vote_extension.status = status.ACCEPT if valid else status.REJECT


def _list_snapshots(app: Application, _request: pb.RequestListSnapshots, response: pb.Response) -> None:
    encode.snapshots(app.list_snapshots(), response.list_snapshots)
    encode.chosen(response.list_snapshots)


def _offer_snapshot(app: Application, request: pb.RequestOfferSnapshot, response: pb.Response) -> None:
    result = app.offer_snapshot(decode.offer_snapshot(request))
    response.offer_snapshot.result = cast("pb.ResponseOfferSnapshot.Result", OfferResult(result).value)


def _load_snapshot_chunk(
    app: Application, request: pb.RequestLoadSnapshotChunk, response: pb.Response
) -> None:
    response.load_snapshot_chunk.chunk = app.load_snapshot_chunk(decode.load_snapshot_chunk(request))
    encode.chosen(response.load_snapshot_chunk)


def _apply_snapshot_chunk(
    app: Application, request: pb.RequestApplySnapshotChunk, response: pb.Response
) -> None:
    answer = app.apply_snapshot_chunk(decode.apply_snapshot_chunk(request))
    encode.apply_snapshot_chunk(answer, response.apply_snapshot_chunk)


def _echo(_app: Application, request: pb.RequestEcho, response: pb.Response) -> None:
    response.echo.message = request.message
    encode.chosen(response.echo)


def _flush(_app: Application, _request: pb.RequestFlush, response: pb.Response) -> None:
    encode.chosen(response.flush)


METHODS = {
    "echo": Method(_echo, Turn.NONE),
    "flush": Method(_flush, Turn.NONE),
    # Info waits for a commit in progress: its response decides which blocks are replayed.
    "info": Method(_info, Turn.CONSENSUS),
    "init_chain": Method(_init_chain, Turn.COMMIT),
    "query": Method(_query, Turn.NONE, _refuse_query),
    "check_tx": Method(_check_tx, Turn.MEMPOOL, _refuse_tx),
    "prepare_proposal": Method(_prepare_proposal, Turn.CONSENSUS),
    "process_proposal": Method(_process_proposal, Turn.CONSENSUS),
    "finalize_block": Method(_finalize_block, Turn.CONSENSUS),
    "commit": Method(_commit, Turn.COMMIT),
    "extend_vote": Method(_extend_vote, Turn.CONSENSUS),
    "verify_vote_extension": Method(_verify_vote_extension, Turn.CONSENSUS),
    "list_snapshots": Method(
        _list_snapshots, Turn.NONE, lambda _, response: encode.chosen(response.list_snapshots)
    ),
    "offer_snapshot": Method(_offer_snapshot, Turn.CONSENSUS),
    "load_snapshot_chunk": Method(
        _load_snapshot_chunk, Turn.NONE, lambda _, response: encode.chosen(response.load_snapshot_chunk)
    ),
    "apply_snapshot_chunk": Method(_apply_snapshot_chunk, Turn.COMMIT),
}
"""Methods by the name of the field in Request's oneof."""


INTERNAL = AbciError(1, "internal error; see the node's log", "abci")
"""Refusal that a client receives if the application raises an unexpected exception."""
_GLANCE_S = 1.0
"""Interval in seconds at which a held call checks that its peer is still connected."""


class _Both:
    """Two locks, acquired in this order."""

    def __init__(self, first: RLock, second: RLock) -> None:
        self._first, self._second = first, second

    def __enter__(self) -> None:
        self._first.acquire()
        try:
            self._second.acquire()
        except BaseException:
            self._first.release()
            raise

    def __exit__(self, *_error: object) -> None:
        self._second.release()
        self._first.release()


class Dispatcher:
    """Calls the application for the requests of all connections.

    Args:
        app: Application to call.
        errors: Logs bugs in queries and checks.
        serial: Make one call at a time, as Go's socket server does.
        over: Set when the server stops.
    """

    def __init__(self, app: Application, errors: RateLimitedLog, *, serial: bool, over: Event) -> None:
        self._app = app
        self._over = over
        self._errors = errors
        self._failed = False
        consensus = RLock()
        mempool = consensus if serial else RLock()
        locks: dict[Turn, AbstractContextManager[object]] = {
            Turn.CONSENSUS: consensus,
            Turn.COMMIT: _Both(consensus, mempool),
            Turn.MEMPOOL: mempool,
            Turn.NONE: consensus if serial else nullcontext(),
        }
        self._methods = {
            name: (method, locks[method.turn], method.turn in {Turn.CONSENSUS, Turn.COMMIT})
            for name, method in METHODS.items()
        }

    def answer(self, request: pb.Request, gone: Callable[[], bool]) -> pb.Response:
        """Return the response to one request.

        Args:
            request: Request to handle.
            gone: Returns whether its sender has disconnected.

        Raises:
            UnknownRequest: the type of request is unknown.
            PeerGone: the request would change state or ordering, and its sender has disconnected.
            ApplicationFailed: the application raised in a method that must not fail. It is not called again.
            ServerStopped: the application failed earlier, or the server is stopping.
        """
        name = request.WhichOneof("value")
        if name is None:
            raise UnknownRequest
        try:
            return self._answer_in_turn(name, request, gone)
        except AnswerHeld:
            self._hold(name, gone)

    def _hold(self, name: str, gone: Callable[[], bool]) -> NoReturn:
        """Hold a call without a response and without its lock, so that other calls are handled meanwhile."""
        while not self._over.wait(_GLANCE_S):
            # guard: h278-a-held-call-outlives-its-peer drop
            #   test_h278_a_held_call_of_a_peer_that_has_gone_is_dropped
            if gone():
                raise PeerGone(name)
        raise ServerStopped

    def _answer_in_turn(self, name: str, request: pb.Request, gone: Callable[[], bool]) -> pb.Response:
        method, turn, in_order = self._methods[name]
        with turn:
            if self._failed:
                raise ServerStopped
            # A killed CometBFT leaves its last request behind. The CometBFT started in its place sends Info
            # first: no request of the old one may be executed after that.
            if in_order and gone():
                raise PeerGone(name)
            return self._ask(name, method, getattr(request, name), pb.Response())

    def fail(self, name: str, error: Exception) -> NoReturn:
        """Refuse all further calls after a response that CometBFT cannot handle; raise ApplicationFailed."""
        self._failed = True
        raise ApplicationFailed(name) from error

    def _ask(self, name: str, method: Method, request: object, response: pb.Response) -> pb.Response:
        try:
            method.serve(self._app, request, response)
        except AnswerHeld:
            # guard: h278-an-answer-that-is-held-is-a-failure {=> raise ApplicationFailed(name)}
            #   test_h278_while_an_answer_is_held_all_others_are_given
            raise
        except Exception as error:
            if method.refuse is None:
                self._failed = True
                raise ApplicationFailed(name) from error
            self._refuse(name, method.refuse, error, response)
        except BaseException as error:  # e.g. SystemExit in the application's code
            self._failed = True
            raise ApplicationFailed(name) from error
        return response

    def _refuse(self, name: str, refuse: Refuse, error: Exception, response: pb.Response) -> None:
        """Fill `response` with the application's refusal, or with INTERNAL."""
        bug = error
        if isinstance(error, AbciError) and error.code != 0:  # 0 would mean success
            try:
                response.Clear()
                refuse(error, response)
            except (TypeError, ValueError, AttributeError) as unwritable:
                bug = unwritable
            else:
                return
        text = f"bug in the application: {name} raised an exception, and the client received an error"
        self._errors.report(f"{name} {type(bug).__name__}", text, level=logging.ERROR, error=bug)
        response.Clear()
        refuse(INTERNAL, response)

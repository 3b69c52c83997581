"""Answers one request: waits for its turn, calls the application, and handles its exceptions."""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from threading import RLock
from typing import NoReturn

from abci_server.application import Application
from abci_server.complaints import Complaints
from abci_server.errors import AbciError, ApplicationFailed, PeerGone, ServerStopped, UnknownRequest
from abci_server.methods import METHODS, Method, Refuse, Turn
from ibc_proto.tendermint.abci import types_pb2 as pb

INTERNAL = AbciError(1, "internal error: the node's log says more", "abci")
"""What a client is told about a bug."""


class _Both:
    """Two locks, taken in this order."""

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
        app: The application.
        complaints: Where bugs in queries and checks are logged.
        serial: Whether the application gets one call at a time, as from Go's socket server.
    """

    def __init__(self, app: Application, complaints: Complaints, *, serial: bool) -> None:
        self._app = app
        self._complaints = complaints
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
        """The answer to one request.

        Args:
            request: The request.
            gone: Whether its sender has disconnected.

        Raises:
            UnknownRequest: its kind is unknown.
            PeerGone: it would change state or ordering, and its sender is gone.
            ApplicationFailed: the application raised in a method that must answer. It is not called again.
            ServerStopped: it failed earlier, or the server stops.
        """
        name = request.WhichOneof("value")
        if name is None:
            raise UnknownRequest
        method, turn, in_order = self._methods[name]
        with turn:
            if self._failed:
                raise ServerStopped
            # A CometBFT that was killed leaves its last request behind. The one that is started in its
            # place reads Info first: nothing of the old one may be executed after that.
            if in_order and gone():
                raise PeerGone(name)
            return self._ask(name, method, getattr(request, name), pb.Response())

    def fail(self, name: str, error: Exception) -> NoReturn:
        """Ends all calls after an answer that CometBFT cannot take; raises ApplicationFailed."""
        self._failed = True
        raise ApplicationFailed(name) from error

    def _ask(self, name: str, method: Method, request: object, response: pb.Response) -> pb.Response:
        try:
            method.serve(self._app, request, response)
        except Exception as error:
            if method.refuse is None:
                self._failed = True
                raise ApplicationFailed(name) from error
            self._refuse(name, method.refuse, error, response)
        except BaseException as error:  # SystemExit in an application's code, and worse
            self._failed = True
            raise ApplicationFailed(name) from error
        return response

    def _refuse(self, name: str, refuse: Refuse, error: Exception, response: pb.Response) -> None:
        """Fills `response` with the application's refusal, or with INTERNAL."""
        bug = error
        if isinstance(error, AbciError) and error.code != 0:  # 0 would mean success
            try:
                response.Clear()
                refuse(error, response)
            except (TypeError, ValueError, AttributeError) as unwritable:
                bug = unwritable
            else:
                return
        text = f"a bug: the application raised in {name}, which is answered with an error"
        self._complaints.say(f"{name} {type(bug).__name__}", text, level=logging.ERROR, error=bug)
        response.Clear()
        refuse(INTERNAL, response)

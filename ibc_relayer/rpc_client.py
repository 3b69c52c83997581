"""JSON-RPC 2.0 by HTTP POST, to a CometBFT node: one persistent connection, timeouts and retries."""

import json
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from ibc_relayer.errors import EndpointRefused, EndpointUnavailable, MalformedAnswer

Json = dict[str, Any]

MAX_ANSWER = 256 * 1024 * 1024
"""Maximum size of a response, bytes; a block with its results is far below."""


class RpcConfig(NamedTuple):
    """Timeouts, retries and poll interval of a node's RPC; times in seconds."""

    timeout_s: float = 15.0  # of one request
    attempts: int = 4  # of a request whose connection breaks
    inclusion_s: float = 60.0  # until a block holds a transaction, or a block is committed
    poll_s: float = 0.15  # between two polls
    sleep: Callable[[float], None] = time.sleep


class Rpc(Protocol):
    """A JSON-RPC client."""

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no answer.
            EndpointRefused: the node answers with an error.
        """

    def close(self) -> None:
        """Closes the connection."""


class HttpRpc:
    """A node at a URL."""

    def __init__(self, url: str, config: RpcConfig = RpcConfig()) -> None:  # noqa: B008 - a value
        """Connects on the first call.

        Raises:
            ValueError: `url` is not of the form http(s)://host[:port][/path].
        """
        parts = urlsplit(url.replace("tcp://", "http://", 1))
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"not an http(s) URL: {url!r}")
        self.url = url
        self._path = parts.path or "/"
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=config.timeout_s)
        self._config = config

    def call(self, method: str, **params: Any) -> Json:
        """The result of a call.

        Raises:
            EndpointUnavailable: no answer in time, or none in HTTP, in any attempt.
            EndpointRefused: the node answers with an error.
        """
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        raw = self._post(json.dumps(request).encode())
        try:
            answer = json.loads(raw)
            error = answer.get("error")
            result = answer.get("result")
        except (ValueError, AttributeError, RecursionError) as broken:
            raise MalformedAnswer(self.url, method, str(broken)) from broken
        if error:
            reason = f"{error.get('message', '')} {error.get('data', '')}".strip()
            raise EndpointRefused(self.url, method, reason)
        if not isinstance(result, dict):
            raise MalformedAnswer(self.url, method, "no result")
        return result

    def close(self) -> None:
        """Closes the connection; a later call opens it again."""
        self._connection.close()

    def _post(self, body: bytes) -> bytes:
        """The body of the answer; CometBFT answers errors of a call with status 500 and a JSON body."""
        problem = ""
        for attempt in range(self._config.attempts):
            if attempt:
                self._config.sleep(0.1 * 2**attempt)
            try:
                self._connection.request("POST", self._path, body, {"Content-Type": "application/json"})
                answer = self._connection.getresponse()
                raw = answer.read(MAX_ANSWER)
            except OSError as error:
                self._connection.close()  # the next request opens it again
                problem = str(error) or type(error).__name__
                continue
            except HTTPException as error:  # its text may be the bytes received, which may not be text
                self._connection.close()
                problem = f"no answer in HTTP ({type(error).__name__}): is it an RPC port?"
                continue
            if answer.status in {200, 500} and raw[:1] == b"{":
                return raw
            problem = f"HTTP status {answer.status}"
        raise EndpointUnavailable(self.url, problem)

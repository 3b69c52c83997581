"""HTTP POST to one URL: connection pool, one deadline per request, responses of limited size."""

import logging
from base64 import b64encode
from collections.abc import Mapping
from http.client import HTTPException, IncompleteRead
from ipaddress import ip_address
from ssl import SSLError as TlsError
from threading import Lock
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from urllib3 import BaseHTTPResponse, PoolManager, ProxyManager, Timeout, make_headers
from urllib3.exceptions import HTTPError, NewConnectionError, ProtocolError, ProxyError, SSLError
from urllib3.exceptions import TimeoutError as LateError

from pyibc.http.reasons import reason_of
from pyibc.relayer.rpc.http_connect import POOLS, Deadline, deadline_of_request, tls_context

logging.getLogger("urllib3").setLevel(logging.ERROR)  # it warns of each idle connection above the limit

_CHUNK = 1 << 16
MAX_IDLE = 64
"""Maximum idle connections; a node limits the connections of all its clients (CometBFT: 900)."""
_PORTS = {"http": 80, "https": 443}


class HttpAnswer(NamedTuple):
    """Complete HTTP response."""

    status: int
    body: bytes
    retry_after: str = ""  # header of that name
    content_type: str = ""


class NotConnected(OSError):
    """No connection was established, so nothing was sent."""


class AnswerTooLarge(Exception):
    """The response exceeds the size limit."""


class HttpTarget(NamedTuple):
    """Parsed URL; `str` gives scheme, host and port only, since the rest may be secret."""

    scheme: str
    host: str
    port: int
    path: str  # with the query
    headers: dict[str, str]

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}" + (f":{self.port}" if self.port != _PORTS[self.scheme] else "")


def parse_url(url: str) -> HttpTarget:
    """Parse `http(s)://[user[:password]@]host[:port][/path][?query]`; CometBFT's `tcp://` means http.

    Raises:
        ValueError: the URL has another form. The text does not quote the URL, which may contain a password.
    """
    try:
        parts = urlsplit(url.replace("tcp://", "http://", 1))
        host, port = parts.hostname or "", parts.port
        host.encode("idna")
    except ValueError:
        raise ValueError(_NOT_A_URL) from None
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    text = path + host
    if parts.scheme not in _PORTS or not host or not path.isascii() or not text.isprintable() or " " in text:
        raise ValueError(_NOT_A_URL)
    return HttpTarget(parts.scheme, host, port or _PORTS[parts.scheme], path, _authorization(parts))


_NOT_A_URL = "not an http(s) URL: http(s)://host[:port][/path] is expected"


def redacted_url(url: str) -> str:
    """Return scheme, host and port of a URL for logs; of any other text, the part before `/`, `?` or `@`."""
    try:
        return str(parse_url(url))
    except ValueError:
        return "" if "@" in url else url.partition("?")[0].partition("/")[0]


def _authorization(parts: SplitResult) -> dict[str, str]:
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {"Authorization": "Basic " + b64encode(pair.encode()).decode("ascii")}


# -- proxies: http_proxy, https_proxy, all_proxy and no_proxy, in either case


def proxy_of(target: HttpTarget) -> str:
    """Return the URL of the proxy that the environment names for a host; "": none.

    Addresses of this machine have none, whatever `no_proxy` says.

    Raises:
        ValueError: the proxy is not one for HTTP.
    """
    proxies = getproxies_environment()
    url = proxies.get(target.scheme) or proxies.get("all", "")
    if not url or _is_local(target.host) or proxy_bypass(target.host):
        return ""
    url = url if "://" in url else f"http://{url}"
    if urlsplit(url).scheme not in _PORTS:
        scheme = urlsplit(url).scheme[:16]
        text = f"the proxy in the environment has the scheme {scheme!a}: use an HTTP proxy, or set no_proxy"
        raise ValueError(text)
    return url


def _is_local(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _manager(target: HttpTarget, proxy: str, ca_file: str) -> PoolManager:
    tls = tls_context(ca_file) if "https" in {target.scheme, urlsplit(proxy).scheme} else None
    if proxy:
        parts = urlsplit(proxy)
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else ""
        headers = make_headers(proxy_basic_auth=pair) if pair else None
        plain = parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
        made: PoolManager = ProxyManager(
            plain, 1, None, headers, tls, ssl_context=tls, maxsize=MAX_IDLE, block=False
        )
    else:
        # guard: h224-idle-connections-have-no-bound {MAX_IDLE => 1_000}
        #   test_h224_many_threads_leave_a_bounded_number_of_connections
        made = PoolManager(1, ssl_context=tls, maxsize=MAX_IDLE, block=False)
    made.pool_classes_by_scheme = POOLS
    return made


# -- requests


class HttpPool:
    """Connection pool of one URL; each request has a connection of its own. For any thread."""

    def __init__(self, target: HttpTarget, max_answer: int, ca_file: str = "") -> None:
        """Create an empty pool.

        Args:
            target: the URL.
            max_answer: limit of a response, bytes.
            ca_file: certificates of authorities, PEM; "": those of the system.

        Raises:
            ValueError: `ca_file` cannot be read, or the environment's proxy is not one for HTTP.
        """
        self._target = target
        self._max_answer = max_answer
        self._ca_file = ca_file
        self._proxy = proxy_of(target)
        self._url = f"{target}{target.path}"
        self._lock = Lock()
        self._kept = _manager(target, self._proxy, ca_file)

    def post(self, body: bytes, deadline: Deadline, *, fresh: bool) -> HttpAnswer:
        """Send one POST and return the response.

        Args:
            body: JSON.
            deadline: deadline of the request, from the lookup of the name to the last byte.
            fresh: use a new connection, and close it afterwards. If the peer closes a reused one, it is
                unknown whether it has read the request.

        Raises:
            NotConnected: nothing was sent.
            OSError, HTTPException: no complete response in time; idle connections are closed.
            AnswerTooLarge: the response exceeds the limit.
        """
        with self._lock:
            manager = self._kept
        # guard: a-broadcast-uses-an-old-connection drop
        #   test_a_broadcast_goes_over_a_connection_of_its_own
        if fresh:
            manager = _manager(self._target, self._proxy, self._ca_file)
        try:
            with deadline_of_request(deadline):
                return self._exchange(manager, body, deadline)
        except BaseException:
            self.close()  # the others are often broken as well
            raise
        finally:
            if fresh:
                manager.clear()

    def get(self, deadline: Deadline) -> HttpAnswer:
        """Send one GET and return the response. Redirections are not followed. Raises as `post`."""
        with self._lock:
            manager = self._kept
        with deadline_of_request(deadline):
            return self._exchange(manager, None, deadline)

    def close(self) -> None:
        """Close the idle connections; a later request opens new ones."""
        with self._lock:
            kept, self._kept = self._kept, _manager(self._target, self._proxy, self._ca_file)
        kept.clear()

    def _exchange(self, manager: PoolManager, body: bytes | None, deadline: Deadline) -> HttpAnswer:
        headers = {**_HEADERS, **self._target.headers}
        left = deadline.remaining()
        try:
            response = manager.urlopen(
                "GET" if body is None else "POST",
                self._url,
                body=body,
                headers=headers,
                redirect=False,
                retries=False,
                preload_content=False,
                timeout=Timeout(connect=left, read=left),
            )
            try:
                answer = HttpAnswer(response.status, self._body(response), *_told(response.headers))
            except BaseException:
                response.close()  # also its connection
                raise
            response.release_conn()
        except HTTPError as error:
            raise _in_own_terms(error, deadline) from error
        return answer

    def _body(self, response: BaseHTTPResponse) -> bytes:
        """Read the body, decompressed in parts of limited size."""
        chunks, size = list[bytes](), 0
        while chunk := response.read(_CHUNK, decode_content=True):
            chunks.append(chunk)
            size += len(chunk)
            if size > self._max_answer:
                # guard: h141-answers-have-no-bound {=> continue}
                #   test_h141_an_answer_too_large_is_an_error_and_not_cut
                #   test_a_small_answer_that_unpacks_to_a_large_one_is_an_error
                raise AnswerTooLarge
        return b"".join(chunks)


_HEADERS = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "pyibc"}


def _told(headers: Mapping[str, str]) -> tuple[str, str]:
    return headers.get("Retry-After", "")[:64], headers.get("Content-Type", "")[:64]


def _in_own_terms(error: HTTPError, deadline: Deadline) -> OSError | HTTPException:
    """Return the error of the socket or of http.client behind one of urllib3, which may quote the URL."""
    if isinstance(error, ProxyError):
        cause = error.original_error.__cause__
        reason = type(error.original_error).__name__ if cause is None else reason_of(cause)
        return NotConnected(f"the proxy cannot be used: {reason}")
    if isinstance(error, NewConnectionError):
        return _not_connected(error.__cause__)
    if isinstance(error, LateError):
        return TimeoutError("no whole answer in time")
    behind = error.args[-1] if isinstance(error, ProtocolError) and error.args else None
    deadline.remaining()  # raises TimeoutError if that is the reason
    if isinstance(behind, (OSError, HTTPException)) and not isinstance(behind, IncompleteRead):
        return behind
    kind = (
        "is truncated" if isinstance(behind, IncompleteRead) else f"cannot be read ({type(error).__name__})"
    )
    return ConnectionError(f"the response {kind}")


def _not_connected(cause: BaseException | None) -> OSError:
    if isinstance(cause, TimeoutError):
        return cause
    if isinstance(cause, (SSLError, TlsError)):
        return NotConnected(f"no TLS connection: {cause}")
    return NotConnected(reason_of(cause) if cause is not None else "not connected")

"""Addresses as CometBFT's `proxy_app` writes them: `tcp://127.0.0.1:26658`, `unix:///run/app.sock`."""

import os
import socket
import stat
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from abci_server.errors import BadAddress

_BACKLOG = 128
_LONGEST_PATH = 107
_SHORTER = "go to its folder and give it relative to that (unix://app.sock)"


class Address(NamedTuple):
    """Where to listen or to connect to: a path, or host and port."""

    path: Path | None
    host: str
    port: int

    def __str__(self) -> str:
        if self.path is not None:
            return f"unix://{self.path}"
        return f"tcp://[{self.host}]:{self.port}" if ":" in self.host else f"tcp://{self.host}:{self.port}"


def parse(text: str) -> Address:
    """Reads an address.

    Raises:
        BadAddress: it is not one of these forms.
    """
    scheme, _, rest = text.partition("://")
    if scheme == "unix" and rest:
        return Address(Path(rest), "", 0)
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise BadAddress(text, str(error)) from error
    if scheme != "tcp" or not host or port is None or url.path or url.query:
        raise BadAddress(text, "neither tcp://HOST:PORT nor unix://PATH")
    return Address(None, host, port)


def connect(address: Address, timeout_s: float) -> socket.socket:
    """A connection to `address`; raises OSError."""
    if address.path is None:
        made = socket.create_connection((address.host, address.port), timeout_s)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return made
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(timeout_s)
    try:
        made.connect(str(address.path))
    except OSError:
        made.close()
        raise
    return made


def listen(address: Address, *, remote: bool = False) -> socket.socket:
    """A listening socket; a unix socket can be opened by this user only.

    Args:
        address: Where; port 0 takes a free one.
        remote: Whether other machines may connect. There is no authentication.

    Raises:
        BadAddress: the address is in use, the system refuses, or it is not a loopback address and `remote`
            is not set.
    """
    return _listen_unix(address, address.path) if address.path else _listen_tcp(address, remote)


def _listen_tcp(address: Address, remote: bool) -> socket.socket:
    try:
        family, _, _, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadAddress(str(address), str(error)) from error
    if not remote and not ip_address(where[0]).is_loopback:
        raise BadAddress(str(address), "not a loopback address, and other machines are not allowed (remote)")
    try:
        return socket.create_server(where, family=family, backlog=_BACKLOG)
    except OSError as error:
        raise BadAddress(str(address), str(error)) from error


def _listen_unix(address: Address, path: Path) -> socket.socket:
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise BadAddress(str(address), f"a socket's path has {_LONGEST_PATH} bytes at most; {_SHORTER}")
    if path.exists():
        _remove_stale(address, path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(str(path))
        path.chmod(0o600)  # before anybody can connect
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        raise BadAddress(str(address), str(error)) from error
    return made


def _remove_stale(address: Address, path: Path) -> None:
    """Removes a socket that a killed process left."""
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise BadAddress(str(address), "there is a file that is no socket")
    try:
        connect(address, 1.0).close()
    except ConnectionRefusedError:
        path.unlink()
        return
    except OSError as error:
        raise BadAddress(str(address), str(error)) from error
    raise BadAddress(str(address), "somebody listens there: stop that process, or choose another address")

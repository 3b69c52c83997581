"""Addresses in the form of CometBFT's `proxy_app`: `tcp://127.0.0.1:26658`, `unix:///run/app.sock`."""

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
_SHORTER = "use a path relative to the working directory (unix://app.sock)"


class ServerAddress(NamedTuple):
    """Address to listen on or to connect to: a path, or host and port."""

    path: Path | None
    host: str
    port: int

    def __str__(self) -> str:
        if self.path is not None:
            return f"unix://{self.path}"
        return f"tcp://[{self.host}]:{self.port}" if ":" in self.host else f"tcp://{self.host}:{self.port}"


def parse(text: str) -> ServerAddress:
    """Parse an address.

    Raises:
        BadAddress: the text is not an address of either form.
    """
    scheme, _, rest = text.partition("://")
    if scheme == "unix" and rest:
        return ServerAddress(Path(rest), "", 0)
    try:
        url = urlsplit(text)
        host, port = url.hostname, url.port
    except ValueError as error:
        raise BadAddress(text, str(error)) from error
    if scheme != "tcp" or not host or port is None or url.path or url.query:
        raise BadAddress(text, "neither tcp://HOST:PORT nor unix://PATH")
    return ServerAddress(None, host, port)


def connect(address: ServerAddress, timeout_s: float) -> socket.socket:
    """Connect to `address`; raise OSError."""
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


def listen(address: ServerAddress, *, remote: bool = False) -> socket.socket:
    """Open a listening socket; only the current user can connect to a unix socket.

    Args:
        address: Address to listen on; port 0 chooses a free one.
        remote: Allow an address that other machines can reach. There is no authentication.

    Raises:
        BadAddress: the address is in use, the system refuses it, or it is not a loopback address and `remote`
            is not set.
    """
    return _listen_unix(address, address.path) if address.path else _listen_tcp(address, remote)


def _listen_tcp(address: ServerAddress, remote: bool) -> socket.socket:
    try:
        family, _, _, _, where = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    except OSError as error:
        raise BadAddress(str(address), str(error)) from error
    if not remote and not ip_address(where[0]).is_loopback:
        raise BadAddress(str(address), "not a loopback address; set remote to accept other machines")
    try:
        return socket.create_server(where, family=family, backlog=_BACKLOG)
    except OSError as error:
        raise BadAddress(str(address), str(error)) from error


def _listen_unix(address: ServerAddress, path: Path) -> socket.socket:
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise BadAddress(str(address), f"a socket path is limited to {_LONGEST_PATH} bytes; {_SHORTER}")
    if path.exists():
        _remove_stale(address, path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(str(path))
        path.chmod(0o600)  # before other users can connect
        made.listen(_BACKLOG)
    except OSError as error:
        made.close()
        raise BadAddress(str(address), str(error)) from error
    return made


def _remove_stale(address: ServerAddress, path: Path) -> None:
    """Remove the socket of a process that was killed."""
    if not stat.S_ISSOCK(path.stat().st_mode):
        raise BadAddress(str(address), "the file exists and is not a socket")
    try:
        connect(address, 1.0).close()
    except ConnectionRefusedError:
        path.unlink()
        return
    except OSError as error:
        raise BadAddress(str(address), str(error)) from error
    raise BadAddress(str(address), "a process listens there: stop it, or choose another address")

"""TCP links between local nodes that a test can interrupt; each link forwards a port of its own.

A node connects to its peer through a wire. A cut wire closes its connections and accepts no others, as in a
partitioned network; a healed one accepts connections again.
"""

import socket
from contextlib import closing, suppress
from threading import Event, Lock, Thread

_CHUNK = 1 << 16


class Wire:
    """A link from its own port to `port`, both on 127.0.0.1."""

    def __init__(self, port: int, listen: int = 0) -> None:
        """Listen at once, on port `listen` (0: any)."""
        self._to = port
        self._whole = Event()
        self._whole.set()
        self._lock = Lock()
        self._open = set[socket.socket]()
        self._listener = socket.create_server(("127.0.0.1", listen))
        self.port: int = self._listener.getsockname()[1]
        Thread(target=self._accept, name=f"wire to {port}", daemon=True).start()

    def cut(self) -> None:
        """Close all connections, and accept no new ones."""
        self._whole.clear()
        with self._lock:
            ended, self._open = self._open, set()
        for each in ended:
            with suppress(OSError):  # already closed by its other end
                each.shutdown(socket.SHUT_RDWR)

    def heal(self) -> None:
        """Accept connections again."""
        self._whole.set()

    def close(self) -> None:
        """Close the link."""
        self.cut()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # raised by `close`
            while True:
                near = self._listener.accept()[0]
                Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with closing(near), suppress(OSError), closing(socket.socket()) as far:
            far.connect(("127.0.0.1", self._to))
            with self._lock:
                if not self._whole.is_set():
                    return
                self._open |= {near, far}
            back = Thread(target=_pour, args=(far, near), daemon=True)
            back.start()
            _pour(near, far)
            back.join()
            with self._lock:
                self._open -= {near, far}


def _pour(source: socket.socket, target: socket.socket) -> None:
    """Forward bytes until either end is closed, then close both."""
    with suppress(OSError):
        while data := source.recv(_CHUNK):
            target.sendall(data)
    for each in (source, target):
        with suppress(OSError):
            each.shutdown(socket.SHUT_RDWR)

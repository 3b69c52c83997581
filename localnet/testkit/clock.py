"""A clock that stands still unless it is told to go on."""

START_NS = 1_700_000_000_000_000_000
SECOND = 1_000_000_000


class ManualClock:
    """Unix nanoseconds; each reading is one second later than the one before."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        """The time; a second passes."""
        self.now_ns += SECOND
        return self.now_ns

    def advance(self, seconds: int) -> None:
        """Lets time pass, for instance beyond a packet's timeout."""
        self.now_ns += seconds * SECOND

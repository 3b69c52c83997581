"""Time that passes when a test says so."""

SECOND = 1_000_000_000
"""In nanoseconds, which is what chains count in."""
START_NS = 1_700_000_000 * SECOND


class ManualClock:
    """A clock for chains: each reading, that is each block, moves it by a step."""

    def __init__(self, now_ns: int = START_NS, step_ns: int = SECOND) -> None:
        """Starts at `now_ns`, unix nanoseconds."""
        self.now_ns = now_ns
        self.step_ns = step_ns

    def __call__(self) -> int:
        """Time of the next block, unix nanoseconds."""
        self.now_ns += self.step_ns
        return self.now_ns

    def advance(self, by_ns: int) -> None:
        """Lets time pass, without blocks; negative: back."""
        self.now_ns += by_ns

"""Submission runner for tests: submissions run when the test calls `run`."""

from concurrent.futures import Future


class ManualRunner:
    """Runner that queues submissions in `waiting`."""

    executor = None

    def __init__(self, slots=2):
        self.slots, self.waiting, self.resting, self.errors = slots, [], set(), []

    def launch(self, work):
        future = Future()
        self.waiting.append((future, work))
        return future

    def run(self, number=0):
        future, work = self.waiting.pop(number)
        try:
            future.set_result(work())
        except Exception as error:
            future.set_exception(error)

    def failed(self, side, chain_id, error):
        self.errors.append((side, chain_id, str(error)))
        self.resting.add(side)
        return True

    def succeeded(self, side):
        self.resting.discard(side)

    def is_paused(self, side):
        return side in self.resting

    def problems(self):
        return [text for side, _, text in self.errors if side in self.resting]

    def wait(self, futures):
        assert futures

    def wait_for(self, chain, height):
        chain.wait(height)

    def close(self):
        while self.waiting:
            self.run()

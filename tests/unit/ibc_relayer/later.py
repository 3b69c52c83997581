"""Lanes for tests: what is under way goes on when the test says so."""

from concurrent.futures import Future


class Later:
    """Lanes whose submissions run when they are told to."""

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

    def rests(self, side):
        return side in self.resting

    def troubles(self):
        return [text for side, _, text in self.errors if side in self.resting]

    def wait(self, under_way):
        assert under_way

    def wait_for(self, chain, height):
        chain.wait(height)

    def close(self):
        while self.waiting:
            self.run()

"""A clock for tests of retries: it advances by a second with each reading."""

from itertools import count

SECONDS = count().__next__

"""Two chains under callbacks."""

import pytest

from conformance.kit.callback_net import CallbackNet


@pytest.fixture
def net():
    made = CallbackNet()
    yield made
    made.close()

"""A chain with interchain accounts, in one block."""

import pytest

from tests.accounts_block import AccountsBlock


@pytest.fixture
def chain():
    return AccountsBlock()


@pytest.fixture
def make_chain():
    return AccountsBlock

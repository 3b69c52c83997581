import pickle

import pytest

from iavl import errors


@pytest.mark.parametrize(
    "error",
    [
        errors.EmptyKey("ibc"),
        errors.NotBytes("ibc", "str"),
        errors.UnknownStore("x"),
        errors.VersionMissing(9, 3, 5),
        errors.UnprovableAbsence(b"k"),
        errors.CorruptDatabase("/d", "why"),
        errors.StoreMismatch("/d", "why"),
        errors.StorageBusy("/d"),
        errors.StorageFailed("/d", "full"),
        errors.StoreClosed("/d"),
    ],
)
def test_errors_tell_their_facts_and_cross_processes(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert vars(again) == vars(error)
    assert str(again) == str(error)
    assert "{" not in str(error)
    assert isinstance(error, errors.IavlError)

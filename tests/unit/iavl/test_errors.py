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
        errors.VersionPruned(2, 3, 5),
        errors.HistoryBusy(9, 30_000),
        errors.UnprovableAbsence(b"k"),
        errors.CorruptDatabase("/d", "why"),
        errors.RecordMissing("/d", "why"),
        errors.UnsupportedFormat("/d", "1", "2"),
        errors.StoreMismatch("/d", "why"),
        errors.StorageBusy("/d"),
        errors.StorageFailed("/d", "full"),
        errors.DiskFull("/d", "full"),
        errors.MapFull("/d", "full"),
        errors.MapTooSmall("/d", "why", 1, 2),
        errors.OutOfMemory("/d", "why"),
        errors.AccessDenied("/d", "why"),
        errors.ReadersFull("/d", "why"),
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

"""The boundary makes a refusal of an error that nobody foresaw: judges of ours must tell the two apart."""

import pytest

from conformance.kit.staged_block import StagedBlock
from conformance.oracle import comparison
from conformance.oracle.program import Case, Verdict
from ibc_module import hookimpl
from localnet.chain import LocalChain
from pyibc.codec.anys import AnyMessage
from pyibc.core.errors import ApplicationFault, InvalidRequest
from pyibc.core.host.context import MessageRoute


class Raising:
    """A message that raises `error` when it is decoded, and another when it is executed."""

    error: Exception = KeyError("nobody foresaw it")

    @hookimpl
    def chain_messages(self):
        return {
            "/decode": MessageRoute(self.fail, lambda _: (), lambda *_: b"", "/x"),
            "/deliver": MessageRoute(bytes, lambda _: (), self.fail, "/x"),
        }

    def fail(self, *_):
        raise self.error


@pytest.fixture
def chain():
    plugin = Raising()
    made = LocalChain("panic-1", plugins=[plugin])
    yield plugin, made
    made.close()


@pytest.mark.parametrize("type_url", ["/decode", "/deliver"])
def test_a_staged_block_raises_what_nobody_foresaw(chain, type_url):
    plugin, made = chain
    for run in (StagedBlock(made).attempt, StagedBlock(made).run):
        with pytest.raises(KeyError):
            run(AnyMessage(type_url, b""))
    plugin.error = InvalidRequest("foreseen")
    attempt = StagedBlock(made).attempt(AnyMessage(type_url, b""))
    assert (type(attempt.error), attempt.writes) == (InvalidRequest, {})


class Refusing:
    """The other side of an oracle: it refuses everything."""

    def ask(self, cases):
        return ((case, Verdict("sdk/2")) for case in cases)


@pytest.mark.parametrize(("error", "differ"), [("undefined/111222", 3), ("sdk/18", 0)])
def test_the_oracle_takes_a_panic_for_no_refusal(monkeypatch, error, differ):
    kind = comparison.CaseKind(
        lambda _: iter([Case("c", ())] * 3), lambda: lambda case, theirs: Verdict(error)
    )
    monkeypatch.setitem(comparison.KINDS, "made up", kind)
    outcome = comparison.compare(Refusing(), "made up", 3, 1)
    assert (len(outcome.differences), outcome.refused) == (differ, 3 - differ)
    assert f"{ApplicationFault.codespace}/{ApplicationFault.code}" == "undefined/111222"

"""Connections with a delay (ICS-3): a header proves their packets once the host has had it for long enough.

The host wants the delay period to have passed since it got the header, and as many blocks as that takes at
`max_expected_time_per_block`. So their tasks are proven by one header that the client has, and wait for it:
the client's latest if it proves any of them, else the newest of the prover, which the client is given. What
was sent meanwhile waits for the next one. Handshakes and closings have no delay.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ibc_core import paths
from ibc_core.errors import IbcError
from ibc_core.height import Height, parse_height
from ibc_core.wire.states import decode_connection_params
from ibc_proto.ibc.core.connection.v1 import query_pb2
from ibc_relayer.batch import Limits
from ibc_relayer.datagram import Datagram, build, keys_of
from ibc_relayer.endpoint import Tip
from ibc_relayer.ends import connection_end
from ibc_relayer.errors import EndpointUnavailable, MalformedAnswer
from ibc_relayer.foreign_client import ForeignClient
from ibc_relayer.grpc_query import ask
from ibc_relayer.metrics import Metrics
from ibc_relayer.path import PathEnd
from ibc_relayer.proofs import Proofs
from ibc_relayer.rpc_read import read_answer
from ibc_relayer.submitter import Beside, Submitter, later
from ibc_relayer.task import Kind, Result, Task, TaskKey, Verdict

PARAMS = "/ibc.core.connection.v1.Query/ConnectionParams"
DEFAULT_BLOCK_NS = 30 * 10**9
"""ibc-go's `max_expected_time_per_block`, for a chain that does not tell its own."""

_ANY_HEADER = {Kind.RECV, Kind.ACKNOWLEDGE}
"""What is proven by any header that shows it; a timeout only by one from after it."""


class Maturing(NamedTuple):
    """A header of the client that proves tasks once the host has had it for long enough."""

    height: Height
    since: Tip  # the host's block that it came in
    planned: frozenset[TaskKey] = frozenset()  # proven by it
    proofs: Proofs | None = None  # of these, taken at once: by the time a node may have deleted the state


class DelayedSubmitter:
    """A submitter whose tasks over connections with a delay wait for their headers."""

    def __init__(
        self, client: ForeignClient, limits: Limits, metrics: Metrics, beside: Beside = later
    ) -> None:
        """Nothing is read before `submit`. `beside`: as for `Submitter`."""
        self._submitter = Submitter(client, limits, metrics, beside)
        self._client = client
        self._delays: dict[str, int] = {}
        self._maturing: dict[str, Maturing] = {}
        self._block_ns = 0  # 0: not asked yet

    def submit(self, tasks: Sequence[Task], tip: int) -> list[Result]:
        """As `Submitter.submit`; what waits is skipped, and if all waits, until the host's next block.

        Raises:
            EndpointUnavailable, TransactionFailed, ClientUnusable: see `Submitter.submit`.
            WrongCounterparty: a connection is not there.
        """
        waiting: dict[str, list[Task]] = {}
        at_once = list[Task]()
        for task in tasks:
            connection_id = self._delayed_by(task)
            (waiting.setdefault(connection_id, []) if connection_id else at_once).append(task)
        results = self._submitter.submit(at_once, tip) if at_once else []
        for connection_id, some in waiting.items():
            results += self._submit(connection_id, some, tip)
        if waiting and all(each.verdict is Verdict.SKIPPED for each in results):
            self._client.host.wait(self._client.host.tip().height + 1)
        return results

    def refresh(self, tip: int) -> None:
        """As `Submitter.refresh`."""
        self._submitter.refresh(tip)

    def _submit(self, connection_id: str, tasks: Sequence[Task], tip: int) -> list[Result]:
        header = self._maturing.get(connection_id)
        if header is None:
            header = self._maturing[connection_id] = self._chosen(tasks, tip)
        # guard: h136-a-header-is-always-old-enough drop
        #   test_h136_packets_wait_for_the_delay_and_are_not_tried_before
        if not self._is_mature(header, self._delays[connection_id]):
            return [_waits(task) for task in tasks]
        kept = [task for task in tasks if task.key in header.planned]
        more, proofs = self._shown(header, [task for task in tasks if task.key not in header.planned])
        del self._maturing[connection_id]
        results = list[Result]()
        # guard: h229-proofs-after-the-delay {header.proofs => None}
        #   test_h229_nodes_that_keep_fewer_states_than_the_delay_has_blocks
        for some, by in ((kept, header.proofs), (more, proofs)):
            if some:
                results += self._submitter.submit_at(some, header.height.revision_height, by)
        return [*results, *(_waits(task) for task in tasks if task not in kept and task not in more)]

    def _chosen(self, tasks: Sequence[Task], tip: int) -> Maturing:
        """The header to wait for: the client's latest if it shows something to submit, else a new one."""
        latest = self._with_shown(self._header(), tasks)
        # guard: h136-each-start-waits-for-a-new-header {latest.planned => not tasks}
        #   test_h136_a_relayer_that_is_restarted_all_the_time_delivers_all_the_same
        if latest.planned:
            return latest
        self._submitter.refresh(tip)
        newest = self._header()
        if newest.height.revision_height < tip:
            return self._with_shown(newest, tasks)
        self._client.reference.wait(newest.height.revision_height)
        planned = frozenset(task.key for task in tasks)
        return newest._replace(planned=planned, proofs=self._proofs(newest, tasks))

    def _with_shown(self, header: Maturing, tasks: Sequence[Task]) -> Maturing:
        shown, proofs = self._shown(header, tasks)
        return header._replace(planned=frozenset(task.key for task in shown), proofs=proofs)

    def _proofs(self, header: Maturing, tasks: Sequence[Task]) -> Proofs:
        keys = [key for task in tasks for key in keys_of(task)]
        return self._client.proofs(header.height.revision_height - 1, keys)

    def _header(self) -> Maturing:
        """The client's latest header."""
        host, client_id = self._client.host, self._client.client_id
        now = host.tip()  # a client type that does not record it got the header now at the latest
        height = self._client.view().latest
        raw_time = host.get(paths.processed_time_path(client_id, height))
        raw_height = host.get(paths.processed_height_path(client_id, height))
        if raw_time is None or raw_height is None:
            return Maturing(height, now)
        at = read_answer(host.chain_id, client_id, lambda: parse_height(raw_height.decode()), host)
        return Maturing(height, Tip(at.revision_height, int.from_bytes(raw_time, "big")))

    def _is_mature(self, header: Maturing, delay_ns: int) -> bool:
        """Whether the host's next block takes its proofs."""
        now, blocks = self._client.host.tip(), -(-delay_ns // self._expected_block_ns())
        return (
            now.time_ns >= header.since.time_ns + delay_ns and now.height + 1 >= header.since.height + blocks
        )

    def _shown(self, header: Maturing, tasks: Sequence[Task]) -> tuple[list[Task], Proofs]:
        """Those that an older header proves, and how; of timeouts it does not tell whether they were due.

        Raises:
            EndpointUnavailable: the prover does not answer.
        """
        some = [task for task in tasks if task.key.kind in _ANY_HEADER]
        proofs = self._proofs(header, some)
        return [task for task in some if self._is_shown(task, proofs)], proofs

    def _is_shown(self, task: Task, proofs: Proofs) -> bool:
        try:
            return isinstance(build(task, proofs, self._client.host.signer), Datagram)
        except EndpointUnavailable:
            raise
        except IbcError:  # pruned: a newer header will do
            return False

    def _delayed_by(self, task: Task) -> str:
        """The connection for whose delay the task waits; "": it does not."""
        end = task.target_end
        if not isinstance(end, PathEnd) or task.key.kind == Kind.CLOSE_CONFIRM:
            return ""
        if end.connection_id not in self._delays:
            found = connection_end(self._client.host, end.connection_id)
            self._delays[end.connection_id] = 0 if found is None else found.delay_period_ns
        return end.connection_id if self._delays[end.connection_id] else ""

    def _expected_block_ns(self) -> int:
        if not self._block_ns:
            self._block_ns = self._asked_block_ns() or DEFAULT_BLOCK_NS
        return self._block_ns

    def _asked_block_ns(self) -> int:
        host = self._client.host
        raw = host.get(paths.CONNECTION_PARAMS)
        if raw is not None:
            return read_answer(host.chain_id, PARAMS, lambda: decode_connection_params(raw), host)
        try:
            said = ask(
                host,
                PARAMS,
                query_pb2.QueryConnectionParamsRequest(),
                query_pb2.QueryConnectionParamsResponse,
            )
        except (EndpointUnavailable, MalformedAnswer):
            raise
        except IbcError:  # a chain whose connections never had a parameter
            return 0
        return int(said.params.max_expected_time_per_block)


def _waits(task: Task) -> Result:
    return Result(task, Verdict.SKIPPED, "waits for the connection's delay")

"""Delayed connections (ICS-3): a header proves packets only after the connection's delay period.

The host requires that the delay period has passed since it accepted the header, and as many blocks as fit
into it at `max_expected_time_per_block`. So the tasks of a delayed connection wait for one header: the
client's latest one if it proves any of them, else the prover's newest one, with which the client is updated.
Packets sent meanwhile wait for the next header. Handshakes and closings have no delay.
"""

from collections.abc import Sequence
from typing import NamedTuple

from pyibc.core import paths
from pyibc.core.errors import IbcError
from pyibc.core.height import Height, parse_height
from pyibc.core.wire.states import decode_connection_params
from pyibc.proto.ibc.core.connection.v1 import query_pb2
from pyibc.relayer.chain.grpc_query import ask, read_of
from pyibc.relayer.chain.values import Tip
from pyibc.relayer.clients.foreign_client import ForeignClient
from pyibc.relayer.errors import EndpointUnavailable, MalformedAnswer
from pyibc.relayer.links.batch import BatchLimits
from pyibc.relayer.links.executor import Executor
from pyibc.relayer.links.submitter import Submitter
from pyibc.relayer.metrics import Metrics
from pyibc.relayer.packets.datagram import Datagram, build, keys_of
from pyibc.relayer.packets.proofs import Proofs
from pyibc.relayer.packets.task import Result, Task, TaskKey, TaskKind, Verdict
from pyibc.relayer.paths.ends import connection_end
from pyibc.relayer.paths.path import PathEnd

PARAMS = "/ibc.core.connection.v1.Query/ConnectionParams"
DEFAULT_BLOCK_NS = 30 * 10**9
"""ibc-go's `max_expected_time_per_block`, in nanoseconds, for a chain that does not return its own."""

_ANY_HEADER = {TaskKind.RECV, TaskKind.ACKNOWLEDGE}
"""Kinds proven by any header that shows the entry; a timeout needs a header after the timeout."""


class MaturingHeader(NamedTuple):
    """Header of the client that proves tasks after the delay period."""

    height: Height
    since: Tip  # the host's block that accepted it
    planned: frozenset[TaskKey] = frozenset()  # tasks that it proves
    proofs: Proofs | None = None  # of these; fetched at once, before a node prunes the state


class DelayedSubmitter:
    """Submitter whose tasks over delayed connections wait for their headers."""

    def __init__(
        self, client: ForeignClient, limits: BatchLimits, metrics: Metrics, executor: Executor | None = None
    ) -> None:
        """Read nothing before `submit`. Arguments as for `Submitter`."""
        self._submitter = Submitter(client, limits, metrics, executor)
        self._client = client
        self._delays: dict[str, int] = {}
        self._maturing: dict[str, MaturingHeader] = {}
        self._block_ns = 0  # `max_expected_time_per_block`; 0: not queried yet

    def submit(self, tasks: Sequence[Task], tip: int) -> list[Result]:
        """Submit `tasks` like `Submitter.submit`; tasks that wait for a header are skipped.

        If all tasks wait, wait for the host's next block.

        Raises:
            EndpointUnavailable, TransactionFailed, ClientUnusable: see `Submitter.submit`.
            WrongCounterparty: a connection does not exist.
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

    def retry(self, tasks: Sequence[Task]) -> list[Result]:
        """Submit `tasks` like `Submitter.retry`; those whose delay has not passed are skipped."""
        waiting = [task for task in tasks if self._delayed_by(task)]
        at_once = [task for task in tasks if task not in waiting]
        results = self._submitter.retry(at_once) if at_once else []
        if waiting:
            header = self._header()
            mature = [
                task for task in waiting if self._is_mature(header, self._delays[self._delayed_by(task)])
            ]
            results += self._submitter.retry(mature) if mature else []
            results += [_waits(task) for task in waiting if task not in mature]
        return results

    def refresh(self, tip: int) -> None:
        """Update the client like `Submitter.refresh`."""
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

    def _chosen(self, tasks: Sequence[Task], tip: int) -> MaturingHeader:
        """Return the header to wait for: the client's latest if it proves a task, else a new one."""
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

    def _with_shown(self, header: MaturingHeader, tasks: Sequence[Task]) -> MaturingHeader:
        shown, proofs = self._shown(header, tasks)
        return header._replace(planned=frozenset(task.key for task in shown), proofs=proofs)

    def _proofs(self, header: MaturingHeader, tasks: Sequence[Task]) -> Proofs:
        keys = [key for task in tasks for key in keys_of(task)]
        return self._client.proofs(header.height.revision_height - 1, keys)

    def _header(self) -> MaturingHeader:
        """Return the client's latest header."""
        host, client_id = self._client.host, self._client.client_id
        now = host.tip()  # a client type without processed times accepted the header now at the latest
        height = self._client.view().latest
        raw_time = host.get(paths.processed_time_path(client_id, height))
        raw_height = host.get(paths.processed_height_path(client_id, height))
        if raw_time is None or raw_height is None:
            return MaturingHeader(height, now)
        at = read_of(host, client_id, lambda: parse_height(raw_height.decode()))
        return MaturingHeader(height, Tip(at.revision_height, int.from_bytes(raw_time, "big")))

    def _is_mature(self, header: MaturingHeader, delay_ns: int) -> bool:
        """Return whether the host's next block accepts proofs by the header."""
        now, blocks = self._client.host.tip(), -(-delay_ns // self._expected_block_ns())
        return (
            now.time_ns >= header.since.time_ns + delay_ns and now.height + 1 >= header.since.height + blocks
        )

    def _shown(self, header: MaturingHeader, tasks: Sequence[Task]) -> tuple[list[Task], Proofs]:
        """Return the tasks that an older header proves, and their proofs, without timeouts.

        An older header does not show whether a timeout was due.

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
        except IbcError:  # for example pruned: a newer header is used
            return False

    def _delayed_by(self, task: Task) -> str:
        """Return the delayed connection of a task; "" if it has no delay."""
        end = task.target_end
        if not isinstance(end, PathEnd) or task.key.kind == TaskKind.CLOSE_CONFIRM:
            return ""
        if end.connection_id not in self._delays:
            found = connection_end(self._client.host, end.connection_id)
            self._delays[end.connection_id] = 0 if found is None else found.delay_period_ns
        return end.connection_id if self._delays[end.connection_id] else ""

    def _expected_block_ns(self) -> int:
        if not self._block_ns:
            self._block_ns = self._query_block_ns() or DEFAULT_BLOCK_NS
        return self._block_ns

    def _query_block_ns(self) -> int:
        host = self._client.host
        raw = host.get(paths.CONNECTION_PARAMS)
        if raw is not None:
            return read_of(host, PARAMS, lambda: decode_connection_params(raw))
        try:
            answer = ask(
                host,
                PARAMS,
                query_pb2.QueryConnectionParamsRequest(),
                query_pb2.QueryConnectionParamsResponse,
            )
        except (EndpointUnavailable, MalformedAnswer):
            raise
        except IbcError:  # the chain's connection module has no parameters
            return 0
        return int(answer.params.max_expected_time_per_block)


def _waits(task: Task) -> Result:
    return Result(task, Verdict.SKIPPED, "waits for the connection's delay")

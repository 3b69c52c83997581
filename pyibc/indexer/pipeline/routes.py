"""Routes of packets: which chains are at both ends of every path.

Events of a receiving chain contain the channels of both ends, but not the sending chain. It is found by
comparison: the same sequence has the same timeouts and data on both chains. All packets with events of both
ends are compared, and the votes are kept as sums, so a batch compares only its own packets.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from pyibc.indexer.bronze.records import path_id
from pyibc.indexer.chains.ends import (
    TOLERATED,
    Ends,
    Pairs,
    decide,
    differing_note,
    named_chains,
    path_of,
)
from pyibc.indexer.chains.known import Joined
from pyibc.indexer.chains.progress import Tip
from pyibc.indexer.chains.routes import find_routes as routes_of
from pyibc.indexer.chains.routes import name_chains, route_rows
from pyibc.indexer.errors import Skipped
from pyibc.indexer.events.packet_facts import QUEUE, End, Path
from pyibc.indexer.pipeline.lake import Batch, Lake
from pyibc.indexer.pipeline.silver import observed_in
from pyibc.indexer.pipeline.state import State
from pyibc.indexer.pipeline.tables import PACKET_EVENTS, ROUTES, Observation, Vote
from pyibc.indexer.sql import EVENT_ORDER, HAS_TIMEOUT, first

_TIMEOUTS = ("timeout_revision", "timeout_height", "timeout_ns")
_CONDITIONS = dict.fromkeys(_TIMEOUTS, HAS_TIMEOUT) | {"data_digest": "data_digest IS NOT NULL"}
_FIRSTS = ", ".join(
    f"{first(name, condition, 'event_order')} AS {name}" for name, condition in _CONDITIONS.items()
)
_SAME = " AND ".join(f"sent.{name} IS NOT DISTINCT FROM received.{name}" for name in _TIMEOUTS)
_COMPARED = f"""
WITH firsts AS (
  SELECT path_id, sequence, end_id, receiving,
    {_FIRSTS}
  FROM (
    SELECT *, 0 AS height_base, {EVENT_ORDER} AS event_order FROM {{events}} WHERE protocol <> {QUEUE}
  ) AS ordered
  GROUP BY path_id, sequence, end_id, receiving
)
SELECT sent.path_id, sent.end_id AS sending_end, received.end_id AS receiving_end,
  count_if({_SAME} AND coalesce(sent.data_digest = received.data_digest, TRUE)) AS agreeing,
  count(*) AS compared
FROM firsts AS sent JOIN firsts AS received
  ON sent.path_id = received.path_id AND sent.sequence = received.sequence
WHERE NOT sent.receiving AND received.receiving
GROUP BY ALL
"""
_CHANGES = """
SELECT path_id, sending_end, receiving_end, sum(agreeing) AS agreeing, sum(compared) AS compared
FROM (
  SELECT * FROM ({after}) AS after
  UNION ALL
  SELECT path_id, sending_end, receiving_end, -agreeing, -compared FROM ({before}) AS before
) AS counted GROUP BY ALL HAVING sum(agreeing) <> 0 OR sum(compared) <> 0
"""


class Routes(NamedTuple):
    """Routes of the tables, and how they changed with a batch."""

    rows: list[tuple[Any, ...]]  # of the table `routes`
    moving: dict[str, list[int | None]]  # last blocks, gaps and progress of both chains by key
    of_end: dict[int, str]  # key of the route by end
    bases: dict[int, int]  # what the heights of an end's events are raised by
    moved_paths: set[int]  # paths of ends with another route than before, or with a new name
    moved: list[str]  # keys of known routes whose last blocks, gaps or progress may have changed


def add_votes(lake: Lake, state: State, replaced: set[int], batch: Batch) -> None:
    """Compare the packets with events in a batch, all whose events are in the view `touched_events`.

    Args:
        lake: the tables.
        state: what they contain.
        replaced: paths with events in blocks that the batch replaced. What these blocks contributed is no
            longer known, so all packets of these paths are compared anew.
        batch: the batch.
    """
    if replaced:
        ends = state.ends.items()
        state.touched |= {number for number, end in ends if path_id(path_of(end)) in replaced}
    votes = [*_changes(lake, replaced, batch), *_recounted(lake, state, replaced)]
    state.learn(Observation(votes=vote) for vote in votes)


def _compared(events: str) -> str:
    return _COMPARED.format(events=events)


def _changes(lake: Lake, replaced: set[int], batch: Batch) -> Iterator[Vote]:
    others = f"path_id NOT IN ({_listed(replaced)})" if replaced else "TRUE"
    lake.view("votes_after", f"SELECT * FROM touched_events WHERE {others}")
    lake.view("votes_before", f"SELECT * FROM votes_after WHERE batch <> '{batch.name}'")
    queries = {when: _compared(f"votes_{when}") for when in ("after", "before")}
    for row in lake.rows(_CHANGES.format(**queries)):
        ends = (row.path_id, row.sending_end, row.receiving_end)
        yield Vote(*ends, int(row.agreeing), int(row.compared))


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


def _recounted(lake: Lake, state: State, replaced: set[int]) -> Iterator[Vote]:
    if not replaced:
        return
    lake.view(
        "votes_recounted",
        f"SELECT * FROM {lake.at(PACKET_EVENTS)} WHERE path_id IN ({_listed(replaced)})",
    )
    now = {
        (row.path_id, row.sending_end, row.receiving_end): (row.agreeing, row.compared)
        for row in lake.rows(_compared("votes_recounted"))
    }
    old = {ends: counts for ends, counts in state.votes.items() if ends[0] in replaced}
    for path, sending, receiving in sorted({*now, *old}):
        agreeing, compared = now.get((path, sending, receiving), (0, 0))
        agreed, known = old.get((path, sending, receiving), (0, 0))
        if (agreeing, compared) != (agreed, known):
            yield Vote(path, sending, receiving, agreeing - agreed, compared - known)


def add_observed(lake: Lake, state: State) -> bool:
    """Add the ends of paths and the facts in the blocks of a batch.

    Return whether earlier batches have one of the paths.
    """
    found = list(observed_in(lake))
    ends = [one.path_end for one in found if one.path_end is not None]
    is_known = any(end.path_id in state.paths for end in ends)
    state.touched = {end.end_id for end in ends}
    state.learn(found)
    return is_known


def find_routes(state: State, joined: Joined, tips: dict[str, Tip]) -> Routes:
    """Find the route of every end, and compare them with those of the last batch."""
    every, of_end = routes_of(joined.ends, pairs_of(state, joined.ends))
    named, _ = name_chains(every, joined.names)
    rows = route_rows(every, named, tips, joined.lineages.origin)
    ends = defaultdict[int, list[int]](list)
    for end in _by_age(state, joined):
        ends[of_end[end]].append(end)
    new: dict[str, tuple[Any, ...]] = {
        row.key: (row.key, *row.fixed, ends[place]) for place, row in enumerate(rows)
    }
    moving = {row.key: row.moving for row in rows}
    return Routes(
        rows=list(new.values()),
        moving=moving,
        of_end={end: key for key, row in new.items() for end in row[-1]},
        bases=joined.ends.bases,
        moved_paths={path_id(path_of(state.ends[end])) for end in _moved_ends(state.routes, new)},
        moved=sorted(key for key in state.routes.keys() & new if state.moving.get(key) != moving[key]),
    )


def _by_age(state: State, joined: Joined) -> list[int]:
    """Return the numbers of all ends, those of older chains of a lineage first."""
    places = {one.span.name: place for _, line in joined.lineages.lines() for place, one in enumerate(line)}
    chains = joined.known.chains
    return sorted(joined.ends.by_number, key=lambda end: (places[chains[state.ends[end].chain]], end))


def write_routes(lake: Lake, state: State, routes: Routes) -> None:
    """Write the routes, the last step of a batch: until then it is repeated with the same changes."""
    new = {str(row[0]): row for row in routes.rows}
    if new != state.routes:
        lake.replace(ROUTES, routes.rows)
        state.routes = new
    state.moving = routes.moving


def _moved_ends(old: dict[str, tuple[Any, ...]], new: dict[str, tuple[Any, ...]]) -> set[int]:
    """Return the ends whose packets get other rows than before; the first time none.

    They have another route or name, or chains of their lineage have another order.
    """
    before = {end: (key, row[1:-1]) for key, row in old.items() for end in row[-1]}
    after = {end: (key, row[1:-1]) for key, row in new.items() for end in row[-1]}
    moved = {end for end, place in before.items() if after.get(end) != place}
    for key in old.keys() & new.keys():
        kept = set(old[key][-1]) & set(new[key][-1])
        if [end for end in old[key][-1] if end in kept] != [end for end in new[key][-1] if end in kept]:
            moved |= kept
    return moved


class _Votes(NamedTuple):
    """Compared packets of each path between two chains, by their numbers."""

    agreeing: Counter[tuple[int, int, int]]  # by path, sender and receiver
    compared: Counter[tuple[int, int, int]]

    def scores(self) -> dict[tuple[int, int], dict[int, int]]:
        """Return the agreeing packets of each sender that may be the one of a path and receiver."""
        found: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        for (path, sender, receiver), agreeing in self.agreeing.items():
            compared = self.compared[path, sender, receiver]
            may_be = found[path, receiver]
            if agreeing > 0 and (compared - agreeing) * TOLERATED <= compared:
                may_be[sender] = agreeing
        return found


def pairs_of(state: State, ends: Ends) -> Pairs:
    """Decide the sending chain of every receiving end by votes, or by the path if it contains the chains.

    Votes of chains that continue each other are added up.
    """
    chains = sorted({end.chain for end in ends.by_number.values()})
    numbers = {chain: number for number, chain in enumerate(chains)}
    paths, votes = state.paths, _votes(state, ends, numbers)
    scores = votes.scores()
    sending = {path_of(end) for end in ends.by_number.values() if not end.receiving}
    for end in ends.by_number.values():
        if end.receiving and end.protocol != QUEUE and path_of(end) in sending:
            scores.setdefault((path_id(path_of(end)), numbers[end.chain]), {})  # without packets of both ends
    opposite = {number: path_id((path[0], *path[3:], *path[1:3])) for number, path in paths.items()}
    back = {number: other for number, other in opposite.items() if other in paths}
    decided = decide(scores, back)
    paired = decided.senders | _reversed(decided.senders, scores, votes.compared, back)
    senders, receivers = dict[End, str](), dict[tuple[Path, str], str]()
    differing = list[Skipped]()
    for (path, receiver), sender in paired.items():
        end = End(chains[receiver], True, *paths[path])
        senders[end] = chains[sender]
        receivers[paths[path], chains[sender]] = chains[receiver]
        agreeing, compared = (count[path, sender, receiver] for count in votes)
        if agreeing < compared:
            differing.append(differing_note(end, compared - agreeing, compared))
    for end in ends.by_number.values():
        named = named_chains(path_of(end))
        if named is not None:
            receivers[path_of(end), named[0]] = named[1]
            if end.receiving and end.chain == named[1]:
                senders[end] = named[0]
    found_by = {
        End(chains[receiver], True, *paths[path]): {chains[sender] for sender in found}
        for (path, receiver), found in scores.items()
    }
    undecided = len(decided.undecided - paired.keys())
    return Pairs(senders, receivers, undecided, sorted(differing), found_by)


def _reversed(
    senders: dict[tuple[int, int], int],
    scores: dict[tuple[int, int], dict[int, int]],
    compared: Counter[tuple[int, int, int]],
    back: dict[int, int],
) -> dict[tuple[int, int], int]:
    """Return the senders of ends without compared packets, as paired in the opposite direction.

    A channel has one counterparty, which packets of either direction tell.
    """
    taken = {(path, sender) for (path, _), sender in senders.items()}
    return {
        end: receiver
        for (path, receiver), sender in senders.items()
        if path in back
        and (end := (back[path], sender)) not in senders
        and not scores.get(end)
        and not compared[back[path], receiver, sender]
        and (back[path], receiver) not in taken
    }


def _votes(state: State, ends: Ends, numbers: dict[str, int]) -> _Votes:
    found = _Votes(Counter(), Counter())
    for (path, sending, receiving), counts in state.votes.items():
        if sending in ends.by_number and receiving in ends.by_number:
            sender, receiver = (numbers[ends.by_number[end].chain] for end in (sending, receiving))
            for count, number in zip(found, counts, strict=True):
                count[path, sender, receiver] += number
    return found

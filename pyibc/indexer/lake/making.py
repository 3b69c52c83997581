"""Construction of a run's tables: reuse of files of the last run, and writing of the others."""

import time
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta

from pyibc.indexer.chain_rows import FACTS
from pyibc.indexer.dictionary import Shared, merge_names, shared_names
from pyibc.indexer.engines import Engine, columns_of
from pyibc.indexer.lake.bands import Bands, bands_of, joined
from pyibc.indexer.lake.before import LastRun
from pyibc.indexer.lake.changes import changes, open_bands
from pyibc.indexer.lake.chunks import chunked, kept_chunks
from pyibc.indexer.lake.delta import commit, remove_others
from pyibc.indexer.lake.parts import Plan, plan
from pyibc.indexer.lake.publish import Staging
from pyibc.indexer.lake.state import (
    VERSION,
    Chunk,
    DataFile,
    FileGroup,
    LakeState,
    Retired,
    RouteState,
    write_state,
)
from pyibc.indexer.lake.tables import BESIDE_PACKETS, CONTRACTS, PACKETS, definitions
from pyibc.indexer.lifecycle import PacketRoutes, register_bands
from pyibc.indexer.lineage.lineages import Lineages
from pyibc.indexer.lineage.table import chains_table, register_lineages
from pyibc.indexer.packet_table import COLUMNS, RouteRow, packet_table_query, register_routes
from pyibc.indexer.segments import writer
from pyibc.indexer.segments.manifest import Manifest
from pyibc.indexer.segments.numbers import EVENT_SCHEMA, number_of
from pyibc.indexer.segments.sealing import Sealed, Segment
from pyibc.indexer.storage.locations import Location, move
from pyibc.indexer.tables import (
    SEALED,
    SMALL,
    EndNames,
    register_chains,
    register_ends,
    sealed_rows,
)
from pyibc.indexer.transfers.rows import FORWARDS
from pyibc.indexer.transfers.table import ORIGINS, differing_origins, find_origins


class TableBuilder:
    """Builder of the tables of one run."""

    def __init__(
        self,
        engine: Engine,
        sealed: Sealed,
        chains: dict[str, str],
        lineages: Lineages,
        last: LastRun,
        staging: Staging,
    ) -> None:
        """Compare with the last run; `chains` maps names in segments to names in the results."""
        self._engine, self._sealed, self._chains, self._lineages = engine, sealed, chains, lineages
        self._staging, self._out = staging, staging.out
        self._last, self._before = last.state, last.before
        if self._before and any(
            lineages.named(chain) != line for chain, line in self._before.state.lineages.items()
        ):
            self._before = None  # the rows of whole chains are named otherwise
        self.shared = self._shared()
        self._plan = Plan([], [])
        self._parts: list[FileGroup] = []
        self._chunks: list[Chunk] = []
        self._whole: dict[str, list[DataFile]] = {}
        self._ways: dict[str, RouteState] = {}
        self._origins: list[DataFile] = []
        self._facts = self._members = ""

    def _shared(self) -> list[Shared]:
        """Find names with the same hash; if they changed, nothing of the last run is reusable."""
        before, files = self._before, _files(self._sealed.segments, "names")
        if before is None or (before.state.shared and (before.added or before.removed)):
            found = shared_names(self._engine, files)
        else:
            found = shared_names(self._engine, files, _files(before.added, "names")) or before.state.shared
        if before is not None and found != before.state.shared:
            self._before = None
        return found

    def planned(self, ways: PacketRoutes, rows: Sequence[RouteRow]) -> int:
        """Plan which packets to write; return their approximate number of events.

        The table `ends` must be registered with the engine.
        """
        register_routes(self._engine, rows)
        numbers: dict[str, list[int]] = {row.key: [] for row in rows}
        for number, way in ways.of_end.items():
            numbers[rows[way].key].append(number)
        self._ways = {row.key: RouteState(numbers[row.key], row.fixed, row.moving) for row in rows}
        every, weights = _all_bands(self._sealed.segments, ways, rows)
        self._plan = self._planned(every, weights)
        return sum(part.weight for part in self._plan.made)

    def packets(self, ways: PacketRoutes, rows: Sequence[RouteRow]) -> None:
        """Write the planned packets with their transfers and calls."""
        self._parts = self._plan.kept
        if self._plan.made:
            self._make(self._plan, {row.key: number for number, row in enumerate(rows)}, ways, rows)

    def _planned(self, every: Bands, weights: dict[str, int]) -> Plan:
        origins = self._find_origins()
        if self._before is None:
            return plan((), every, (), every, weights)
        old = self._before.state
        added = [segment.manifest for segment in self._before.added]
        now = [segment.manifest for segment in self._sealed.segments]
        found = changes(old, self._before.removed, added, now, self._ways, every)
        touched = joined(found.bands, origins)
        if found.moved and old.files(PACKETS):
            self._engine.files("old_packets", COLUMNS, self._staging.paths(PACKETS, old.files(PACKETS)))
            touched = joined(touched, open_bands(self._engine, found.moved))
        return plan(old.parts, touched, found.gone, every, weights)

    def _find_origins(self) -> Bands:
        """Find the origins of forwarded packets; return the buckets in which they changed."""
        before, folder = self._before, self._sealed.folder
        old = [folder / file.name for file in before.state.origins] if before else []
        if before and not before.concerns(FORWARDS) and _same_ends(before.state.ways, self._ways):
            self._origins = before.state.origins
            self._engine.files("origins", ORIGINS, old)
            return {}
        made = find_origins(self._engine, _files(self._sealed.segments, FORWARDS), self._staging.work)
        self._origins = [self._staging.described(path, ".origins.parquet") for path in made]
        new = [folder / file.name for file in self._origins]
        for path, place in zip(made, new, strict=True):
            move(path, place)
        if before is None:
            self._engine.files("origins", ORIGINS, new)
            return {}
        return bands_of((way, [(band, band)]) for way, band in differing_origins(self._engine, old, new))

    def _make(
        self, planned: Plan, numbers: dict[str, int], ways: PacketRoutes, rows: Sequence[RouteRow]
    ) -> None:
        engine, staging = self._engine, self._staging
        anew = joined(*(part.bands for part in planned.made))
        segments = [one for one in self._sealed.segments if _holds(one.manifest, anew, ways, rows)]
        engine.expect(sum(part.weight for part in planned.made))
        engine.files("events", columns_of(EVENT_SCHEMA), _files(segments, "events"))
        merge_names(engine, _files(segments, "names"), self.shared, self._staging.work / "names")
        register_bands(
            engine,
            (
                (numbers[way], band, part)
                for part, one in enumerate(planned.made)
                for way, bands in one.bands.items()
                for band in bands
            ),
        )
        packets = self._written(PACKETS, packet_table_query(engine.dialect))
        written = {PACKETS: packets}
        made = [file for files in packets.values() for file in files]
        engine.files("made_packets", COLUMNS, staging.paths(PACKETS, made))
        for table, (query, roles) in BESIDE_PACKETS.items():
            written[table] = self._carried(table, query(engine.dialect), roles, segments)
        for number, one in enumerate(planned.made):
            files = {table: parts.get(number, []) for table, parts in written.items()}
            bands = {way: bands.ranges for way, bands in one.bands.items()}
            self._parts.append(FileGroup(bands, one.weight, one.hot, files))

    def _carried(
        self, table: str, query: str, roles: Sequence[str], segments: Sequence[Segment]
    ) -> dict[int, list[DataFile]]:
        """Write a table of packet contents; return its files by file group, none if no segment has rows."""
        told = {role: _files(segments, role) for role in roles}
        if not told[table]:
            return {}
        for role, files in told.items():
            sealed_rows(self._engine, role, writer.SCHEMAS[role], files)
        return self._written(table, query)

    def _written(self, table: str, query: str) -> dict[int, list[DataFile]]:
        folder = self._staging.folder()
        self._engine.write_parts(query, folder)
        return self._staging.take_parts(table, folder)

    def rows_of_segments(self) -> None:
        """Write the tables of blocks, events, transactions and messages."""
        register_chains(self._engine, self._chains, self._lineages)
        old = self._before.state.chunks if self._before else []
        self._chunks = kept_chunks(old, self._sealed.segments)
        for segments in chunked(self._chunks, self._sealed.segments):
            weight = sum(segment.manifest.weight for segment in segments)
            self._engine.expect(weight)
            files = {}
            for make in SEALED:
                table = make(self._engine.dialect)
                sealed = _files(segments, table.name)
                if sealed:
                    sealed_rows(self._engine, table.name, writer.SCHEMAS[table.name], sealed)
                    files[table.name] = self._copied(table.name, table.query(self._engine.dialect))
            atoms = [atom for segment in segments for atom in segment.manifest.atoms]
            self._chunks.append(Chunk(atoms, weight, files))

    def _copied(self, table: str, query: str) -> list[DataFile]:
        folder = self._staging.folder()
        self._engine.write(query, folder)
        return self._staging.take(table, folder)

    def small(self, names: EndNames) -> None:
        """Write the tables of clients, channels and chains."""
        self._write_chains()
        before, self._facts = self._before, names.key
        tables = [make(self._engine.dialect) for make in SMALL]
        if before and not before.concerns(FACTS) and before.state.facts == self._facts:
            self._whole |= {table.name: before.state.whole[table.name] for table in tables}
            return
        register_ends(self._engine, names)
        sealed_rows(self._engine, FACTS, writer.SCHEMAS[FACTS], _files(self._sealed.segments, FACTS))
        for table in tables:
            self._whole[table.name] = self._copied(table.name, table.query(self._engine.dialect))

    def _write_chains(self) -> None:
        table, members = chains_table(self._engine.dialect), self._lineages.members
        self._members = f"{number_of(repr(members)) & (1 << 64) - 1:016x}"
        if self._before and self._before.state.members == self._members:
            self._whole[table.name] = self._before.state.whole[table.name]
            return
        register_lineages(self._engine, members)
        self._whole[table.name] = self._copied(table.name, table.query(self._engine.dialect))

    def register(self) -> None:
        """Register every table with the engine under its name, that of events as `told_events`."""
        self._engine.expect(sum(part.weight for part in self._parts))
        state = self._state({})
        for table, contract in CONTRACTS.items():
            name = "told_events" if table == "events" else table
            self._engine.files(name, contract.columns, self._staging.paths(table, state.files(table)))

    def commit(self, keep: timedelta | None) -> LakeState:
        """Commit all tables atomically, then remove superseded files."""
        state = self._state({})
        for table, contract in CONTRACTS.items():
            if not state.files(table):
                before = self._before.state.whole.get(table) if self._before else None
                state.whole[table] = before or [self._staging.empty(table, contract.columns)]
        if keep is not None:
            state.retired.extend(self._retired(state, time.time(), keep))
        # guard: h110-superseded-files-go-before-the-commit swap:remove_others
        #   test_h110_a_run_killed_at_some_places_leaves_what_was_and_the_next_one_repairs
        self._staging.move()
        for table, contract in CONTRACTS.items():
            state.tables[table] = commit(self._out / table, contract.columns, state.files(table))
        write_state(self._out, state)
        for table in CONTRACTS:
            kept = {file.name for file in state.files(table)}
            kept |= {one.name for one in state.retired if one.table == table}
            remove_others(self._out / table, kept)
        self._sealed.sweep(file.name for file in state.origins)
        return state

    def _retired(self, state: LakeState, now: float, keep: timedelta) -> Iterator[Retired]:
        """Yield the files of earlier versions that concurrent readers may still use."""
        if self._last is None:
            return
        for table in CONTRACTS:
            wanted = {file.name for file in state.files(table)}
            for file in self._last.files(table):
                if file.name not in wanted:
                    yield Retired(table, file.name, now)
        yield from (one for one in self._last.retired if one.since > now - keep.total_seconds())

    def _state(self, tables: dict[str, int]) -> LakeState:
        segments = self._sealed.segments
        return LakeState(
            version=VERSION,
            queries=definitions(),
            tables=tables,
            segments=[segment.name for segment in segments],
            atoms=[atom for segment in segments for atom in segment.manifest.atoms],
            chains=self._chains,
            lineages={one.span.name: one.lineage for one in self._lineages.members},
            shared=self.shared,
            ways=self._ways,
            members=self._members,
            facts=self._facts,
            origins=self._origins,
            parts=self._parts,
            chunks=self._chunks,
            whole=self._whole,
            retired=[],
        )


def _files(segments: Iterable[Segment], role: str) -> list[Location]:
    return [file for segment in segments if (file := segment.file(role)) is not None]


def _all_bands(
    segments: Iterable[Segment], ways: PacketRoutes, rows: Sequence[RouteRow]
) -> tuple[Bands, dict[str, int]]:
    """Return all buckets, and the number of events by route."""
    weights = {row.key: 0 for row in rows}
    found = []
    for segment in segments:
        for end in segment.manifest.ends:
            if end.number in ways.of_end:
                key = rows[ways.of_end[end.number]].key
                weights[key] += end.events
                found.append((key, end.bands))
    return bands_of(found), weights


def _holds(manifest: Manifest, bands: Bands, ways: PacketRoutes, rows: Sequence[RouteRow]) -> bool:
    """Return whether a segment has events in `bands`."""
    for end in manifest.ends:
        asked = bands.get(rows[ways.of_end[end.number]].key) if end.number in ways.of_end else None
        if asked and any(asked.lacking(first, last).count <= last - first for first, last in end.bands):
            return True
    return False


def _same_ends(old: dict[str, RouteState], now: dict[str, RouteState]) -> bool:
    return {key: way.ends for key, way in old.items()} == {key: way.ends for key, way in now.items()}

"""Guards of the index that is kept up to date: strangers ask its server, and are in its data."""

from tools.guards.mutant import Mutant

LIVE = "tests/unit/ibc_indexer/live/"
METRICS, SERVER = f"{LIVE}test_metrics.py::", f"{LIVE}test_server.py::"
PACKETS, ALERTS = f"{LIVE}test_packets.py::", f"{LIVE}test_alerts.py::"
BOUNDS = "tests/unit/localnet/test_http_bounds.py::"

H115 = (
    Mutant(
        "h115-every-channel-has-labels-of-its-own",
        "ibc_indexer/live/metrics.py",
        (("if place < self._listed", "if place < 10**9"),),
        (f"{METRICS}test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost",),
    ),
    Mutant(
        "h115-series-of-the-same-labels-replace-each-other",
        "ibc_indexer/live/metrics.py",
        (
            (
                "found[key] = together(found[key], float(value)) if key in found else float(value)",
                "found[key] = float(value)",
            ),
        ),
        (f"{METRICS}test_h115_a_stranger_s_channels_are_one_series_and_nothing_is_lost",),
    ),
)

H116 = (
    Mutant(
        "h116-any-name-reaches-loopback",
        "ibc_http/server.py",
        (("        if host is None or not self.loopback:\n", "        if True:\n"),),
        (f"{SERVER}test_h116_a_page_of_a_stranger_s_does_not_reach_loopback_by_a_name_of_his",),
    ),
    Mutant(
        "h116-answers-without-a-policy",
        "ibc_http/server.py",
        (('        self.send_header("Content-Security-Policy", self.server.policy)\n', ""),),
        (f"{SERVER}test_h116_every_answer_keeps_the_browser_from_more",),
    ),
)

H117 = (
    Mutant(
        "h117-heads-of-any-length",
        "ibc_http/server.py",
        (("        if len(head) > MAX_HEAD:\n", "        if False:\n"),),
        (f"{SERVER}test_h117_a_head_that_is_too_long_is_refused_unread",),
    ),
    Mutant(
        "h117-a-head-has-all-the-time",
        "ibc_http/server.py",
        (("            left = end - time.monotonic()\n", "            left = 30.0\n"),),
        (f"{SERVER}test_h117_a_head_that_comes_too_slowly_is_dropped_and_frees_its_place",),
    ),
    Mutant(
        "h117-any-number-at-once",
        "ibc_http/bounded.py",
        (("BoundedSemaphore(connections)", "BoundedSemaphore(connections + 1)"),),
        (f"{SERVER}test_h117_no_more_than_so_many_are_served_at_once",),
    ),
)

H220 = (
    Mutant(
        "h220-a-request-has-all-the-time",
        "ibc_http/bounded.py",
        (
            (
                "        left = self._idle_s if self._end is None else self._end - time.monotonic()\n",
                "        left = self._idle_s\n",
            ),
        ),
        (f"{BOUNDS}test_h220_a_request_that_drips_is_dropped_and_frees_its_place",),
    ),
    Mutant(
        "h220-any-number-at-once-at-an-rpc",
        "localnet/rpc/server.py",
        (("_Handler, MAX_CONNECTIONS)", "_Handler, 10**6)"),),
        (f"{BOUNDS}test_h220_more_connections_than_places_are_closed_unanswered",),
    ),
    Mutant(
        "h220-any-number-at-once-at-an-attestor",
        "localnet/attestor.py",
        (("_Handler, MAX_CONNECTIONS)", "_Handler, 10**6)"),),
        (f"{BOUNDS}test_h220_more_connections_than_places_are_closed_unanswered",),
    ),
)

H118 = (
    Mutant(
        "h118-any-field-is-asked-for",
        "ibc_indexer/live/packets.py",
        (("    if len(found) < len(pairs) or not known.issuperset(found):\n", "    if False:\n"),),
        (f"{PACKETS}test_h118_what_cannot_be_asked_is_refused",),
    ),
    Mutant(
        "h118-queries-without-end",
        "ibc_indexer/live/packets.py",
        (("        if not self._slots.acquire(blocking=False):\n", "        if False:\n"),),
        (f"{PACKETS}test_h118_queries_at_once_are_bounded",),
    ),
    Mutant(
        "h118-names-of-chains-are-html",
        "ibc_indexer/words.py",
        (("    shown = escape(short(name, width))\n", "    shown = short(name, width)\n"),),
        (f"{SERVER}test_h118_hostile_names_are_text",),
    ),
)

H119 = (
    Mutant(
        "h119-a-flood-is-told-at-once",
        "ibc_indexer/live/alerts.py",
        (("        now = fresh[:TOLD_AT_ONCE]\n", "        now = fresh\n"),),
        (f"{ALERTS}test_h119_a_flood_is_one_run_of_the_command_at_a_time",),
    ),
    Mutant(
        "h119-what-a-command-started-goes-on",
        "ibc_indexer/live/alerts.py",
        (("        os.killpg(process.pid, signal.SIGKILL)\n", "        process.kill()\n"),),
        (f"{ALERTS}test_h119_a_command_that_does_not_end_is_ended_with_all_it_started",),
    ),
)

H217 = (
    Mutant(
        "h217-inputs-that-are-gone-are-empty",
        "ibc_indexer/inputs.py",
        (("if isinstance(given, Path) and not given.exists():", "if False:"),),
        (f"{LIVE}test_follow.py::test_h217_inputs_that_are_gone_for_a_while_empty_no_tables",),
    ),
)

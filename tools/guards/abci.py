"""Guards of ABCI over gRPC: what a client can make us hold, answers with an end, a CometBFT that is older."""

from tools.guards.mutant import Mutant

HTTP2 = "tests/unit/abci_server/grpc/test_http2.py::"
SERVER = "tests/unit/abci_server/grpc/test_server.py::"

H205 = (
    Mutant(
        "h205-every-call-is-granted-room",
        "abci_server/grpc/http2.py",
        (("SettingCodes.INITIAL_WINDOW_SIZE: WINDOW", "SettingCodes.INITIAL_WINDOW_SIZE: 2**30"),),
        (f"{HTTP2}test_h205_one_who_sends_more_than_it_may_is_turned_away",),
    ),
    Mutant(
        "h205-calls-that-wait-are-never-let-on",
        "abci_server/grpc/http2.py",
        (
            (
                "        if not self._incomplete or self._answers:\n",
                "        if len(self._incomplete) != 1:\n",
            ),
        ),
        (f"{HTTP2}test_h205_calls_that_are_half_sent_hold_little_and_do_not_keep_each_other_from_the_end",),
    ),
    Mutant(
        "h205-calls-without-number",
        "abci_server/grpc/http2.py",
        (("        if len(self._open) >= STREAMS:\n", "        if False:\n"),),
        (f"{HTTP2}test_h205_a_call_beyond_those_that_may_be_open_is_refused_alone",),
    ),
    Mutant(
        "h205-bodies-without-end",
        "abci_server/grpc/http2.py",
        (("        if len(stream.body) > self._limit:\n", "        if False:\n"),),
        (f"{HTTP2}test_h205_a_body_beyond_the_limit_is_dropped_and_the_call_refused",),
    ),
)

H206 = (
    Mutant(
        "h206-answers-of-any-length",
        "abci_server/grpc/connection.py",
        (("        if len(raw) > MOST:\n", "        if False:\n"),),
        (
            f"{SERVER}test_h206_a_block_whose_events_are_too_long_is_answered_without_them",
            f"{SERVER}test_h206_long_answers_to_outsiders_are_no_failure",
        ),
    ),
    Mutant(
        "h206-a-proposal-of-any-length",
        "abci_server/grpc/limits.py",
        (("        asked.max_tx_bytes = min(asked.max_tx_bytes, MOST)\n", "        pass\n"),),
        (f"{SERVER}test_h206_a_proposal_has_room_for_what_fits_only",),
    ),
)

H207 = (
    Mutant(
        "h207-a-list-of-any-length",
        "abci_server/grpc/http2.py",
        (("                SettingCodes.MAX_HEADER_LIST_SIZE: MAX_HEADERS,\n", ""),),
        (f"{HTTP2}test_h207_what_breaks_the_protocol_ends_the_connection",),
    ),
    Mutant(
        "h207-a-bad-call-ends-its-connection",
        "abci_server/grpc/connection.py",
        (
            (
                "        except (UnknownRequest, BadRequest, BadMessage, NotGreeted) as error:\n",
                "        except NotGreeted as error:\n",
            ),
        ),
        (f"{SERVER}test_h207_a_bad_call_is_refused_and_others_go_on",),
    ),
)

H208 = (
    Mutant(
        "h208-whoever-asks-is-answered",
        "abci_server/grpc/connection.py",
        (("            raise NotGreeted(name)\n", "            pass\n"),),
        (f"{SERVER}test_h208_a_cometbft_that_outlived_its_application_is_refused",),
    ),
    Mutant(
        "h208-info-is-a-greeting",
        "abci_server/grpc/connection.py",
        (('        if name == "echo":\n', '        if name in {"echo", "info"}:\n'),),
        (f"{SERVER}test_h208_a_cometbft_that_outlived_its_application_is_refused",),
    ),
)

H209 = (
    Mutant(
        "h209-answers-are-made-for-one-who-takes-none",
        "abci_server/grpc/connection.py",
        (
            (
                "        while self._http2.calls and not self._http2.blocked:\n",
                "        while self._http2.calls:\n",
            ),
        ),
        (f"{SERVER}test_h209_who_takes_no_answers_gets_no_more_made",),
    ),
)

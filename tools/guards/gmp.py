"""Guards of calls: who is called for, what a call may be, what is left of one that fails."""

from tools.guards.mutant import Mutant

APP = "ibc_module/apps/gmp/app_v2.py"
CALLS = "ibc_module/apps/gmp/calls.py"
STATE = "ibc_module/apps/gmp/state.py"
GENESIS = "ibc_module/apps/gmp/genesis.py"
DATA = "ibc_core/gmp/packet_data.py"
MESSAGE = "ibc_core/gmp/msg_send_call.py"
ABI = "ibc_core/wire/abi.py"
GOGO = "ibc_core/wire/gogo.py"
FAILS = ("tests/unit/ibc_module/apps/gmp/test_calls.py::test_h166_a_call_that_fails_leaves_nothing",)
SENT = ("tests/unit/ibc_module/apps/gmp/test_calls.py::test_messages_that_cannot_be",)
APPS = "tests/unit/ibc_module/apps/gmp/test_app.py::"
RESTARTED = ("tests/unit/ibc_module/apps/gmp/test_state.py::test_a_genesis_that_is_refused",)
KEYS = ("tests/unit/ibc_module/apps/gmp/test_state.py::test_h165_no_two_senders_share_a_key",)
FORMS = ("tests/unit/ibc_core/gmp/test_packet_data.py::test_h168_every_other_form_is_refused",)
SIZES = ("tests/unit/ibc_core/gmp/test_packet_data.py::test_what_cannot_be",)
OUTSIDE = ("tests/unit/ibc_core/wire/test_abi.py::test_h168_what_leads_outside_is_refused",)
TAKEN = ("tests/unit/ibc_core/wire/test_gogo.py::test_h169_what_gogoproto_takes",)
REFUSED = ("tests/unit/ibc_core/wire/test_gogo.py::test_h169_what_gogoproto_refuses",)


def _off(name: str, file: str, condition: str, tests: tuple[str, ...]) -> Mutant:
    """A guard whose condition never holds."""
    indent, keyword, _ = condition.partition("if ")
    return Mutant(name, file, ((condition, f"{indent}{keyword}False:"),), tests)


H165 = (
    _off("h165-a-sender-ends-where-he-likes", STATE, '    if "\\0" in identifier.sender:', KEYS),
    Mutant(
        "h165-a-key-holds-less-than-the-sender",
        STATE,
        (('\\0{identifier.sender}\\0".encode()', '\\0{identifier.sender}\\0".encode("ascii", "replace")'),),
        KEYS,
    ),
)

H166 = (
    _off("h166-no-messages", CALLS, "        if not messages:", FAILS),
    _off("h166-anybodys-message", CALLS, "            if signers[0] != account.raw:", FAILS),
    _off(
        "h166-several-signers",
        CALLS,
        "            if len(signers) != 1:",
        (f"{APPS}test_h166_one_signer_a_message",),
    ),
    Mutant(
        "h166-part-of-a-call-stays",
        CALLS,
        (("        with ctx.branch():\n", "        if True:\n"),),
        (f"{APPS}test_h166_messages_are_executed_in_a_branch",),
    ),
    Mutant(
        "h166-a-call-out-of-gas-is-answered",
        APP,
        (("        except NO_VERDICT:\n            raise\n", ""),),
        (f"{APPS}test_h166_no_verdict",),
    ),
    _off(
        "h166-anybody-signs-for-the-sender",
        APP,
        "        if sender.raw != sending.signer.raw:",
        (f"{APPS}test_h166_what_may_not_leave",),
    ),
    _off(
        "h166-from-any-port",
        APP,
        "    if ports != (PORT_ID, PORT_ID):",
        (f"{APPS}test_h166_what_may_not_leave", f"{APPS}test_h166_what_is_not_executed"),
    ),
    Mutant(
        "h166-between-any-clients",
        APP,
        (("            parse_client_id(sending.client_id_on_b)\n", ""),),
        (f"{APPS}test_h166_what_may_not_leave",),
    ),
    _off("h166-a-call-without-a-timeout", MESSAGE, "        if self.timeout_s_on_b == 0:", SENT),
    _off("h166-in-any-encoding", MESSAGE, "        if self.encoding not in _ENCODINGS:", SENT),
    _off(
        "h166-a-payload-of-any-size", DATA, "    if len(payload) > names.MAX_PAYLOAD_SIZE:", (*SENT, *SIZES)
    ),
    _off("h166-a-salt-of-any-size", DATA, "    if len(salt) > names.MAX_SALT_SIZE:", (*SENT, *SIZES)),
    _off("h166-a-memo-of-any-size", DATA, "    if size > names.MAX_MEMO_SIZE:", (*SENT, *SIZES)),
    _off("h166-an-address-of-any-size", DATA, "    if len(text.encode()) > limit:", (*SENT, *SIZES)),
    _off("h166-nobody-calls", DATA, "        if is_blank(self.sender):", SIZES),
    _off(
        "h166-a-salt-of-any-size-in-a-genesis",
        GENESIS,
        "            if len(item.account_id.salt) > names.MAX_SALT_SIZE:",
        RESTARTED,
    ),
    Mutant(
        "h166-an-account-twice-in-a-genesis",
        GENESIS,
        (("                require_new(each, seen, key)\n", "                seen.add(each)\n"),),
        RESTARTED,
    ),
)

H168 = (
    _off("h168-any-form", DATA, "    if encode(data, encoding) != raw:", FORMS),
    _off("h168-a-word-beyond-the-end", ABI, "        if end > len(raw):", OUTSIDE),
    _off("h168-a-part-beyond-the-end", ABI, "        if end > len(self.raw):", OUTSIDE),
    _off("h168-an-array-beyond-the-end", ABI, "        if len(self.raw) < end:", OUTSIDE),
    _off("h168-a-number-of-any-size", ABI, "        if number > MAX_U64:", OUTSIDE),
)

H169 = (
    _off("h169-a-field-of-any-wire-type", GOGO, "            if wire_type != _LENGTH:", REFUSED),
    _off(
        "h169-any-field",
        GOGO,
        "        if wire_type == _END_GROUP or not 0 < number <= _MAX_FIELD:",
        REFUSED,
    ),
    _off("h169-a-size-beyond-the-end", GOGO, "    if size > _MAX_INT or end > len(raw):", REFUSED),
    Mutant(
        "h169-what-is-not-canonical-is-read-in-c",
        GOGO,
        (("    if found.SerializeToString() != raw:", "    if False:"),),
        (*TAKEN, *REFUSED)[1:],
    ),
    Mutant(
        "h169-what-c-refuses-is-refused",
        GOGO,
        (
            (
                "    except DecodeError:\n        return _walk(raw)",
                "    except DecodeError:\n        raise TxDecode('') from None",
            ),
        ),
        TAKEN,
    ),
)

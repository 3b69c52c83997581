"""What interchain accounts are sent, byte by byte: read as Go reads it."""

from tools.guards.mutant import Mutant

HOST = "tests/unit/ibc_module/apps/interchain_accounts/test_host.py::"
METADATA = "tests/unit/ibc_core/interchain_accounts/test_metadata.py::"
DATA = "tests/unit/ibc_core/interchain_accounts/test_packet_data.py::"
MESSAGES = "tests/unit/ibc_core/interchain_accounts/test_messages.py::"
GOGO = "tests/unit/ibc_core/wire/test_gogo.py::"
JSON = "tests/unit/ibc_core/wire/test_exact_json.py::"
_APPS = "ibc_module/apps/interchain_accounts/"
_FLOOR = "ibc_core/interchain_accounts/"

H163 = (
    Mutant(
        "h163-unknown-fields-of-metadata",
        f"{_FLOOR}json_fields.py",
        (("    if members:\n", "    if not names:\n"),),
        (f"{METADATA}test_h163_what_is_no_metadata", f"{DATA}test_h163_what_is_no_packet_data"),
    ),
    Mutant(
        "h163-a-field-of-another-wire-type",
        "ibc_core/wire/gogo.py",
        (("        if unknown.field_number in known:\n", "        if not known:\n"),),
        (f"{GOGO}test_h163_a_known_field_of_another_wire_type_is_an_error",),
    ),
    Mutant(
        "h163-a-wrong-field-behind-what-grows",
        "ibc_core/wire/gogo.py",
        (("if written != raw:", "if len(written) != len(raw):"),),
        (f"{GOGO}test_a_wrong_wire_type_does_not_hide_behind_what_grows_when_it_is_written_again",),
    ),
    Mutant(
        "h163-a-text-with-escapes-read-as-it-stands",
        f"{_FLOOR}packet_data.py",
        (("[ !#-\\[\\]-~]*", "[ -~]*"),),
        (f"{DATA}test_a_blank_in_front_changes_nothing",),
    ),
    Mutant(
        "h163-a-pattern-that-goes-back",
        f"{_FLOOR}packet_data.py",
        (("{4})*+(", "{4})*("),),
        (f"{DATA}test_a_long_transaction_costs_no_more_memory_than_it_has_bytes",),
    ),
    Mutant(
        "h163-unknown-fields-inside-of-anys",
        "ibc_core/wire/gogo.py",
        (("each.value = without_unknown(cls, each.value, depth + 1)", "each.value = bytes(each.value)"),),
        (f"{GOGO}test_h163_they_are_dropped_inside_of_anys_too",),
    ),
    Mutant(
        "h163-an-escaped-name-of-an-enum",
        f"{_FLOOR}json_fields.py",
        ((" or b'\"%b\"' % content.encode() not in raw", ""),),
        (f"{DATA}test_h163_what_is_no_packet_data",),
    ),
    Mutant(
        "h163-numbers-of-any-size",
        f"{_FLOOR}json_fields.py",
        (("_whole(content, -_MAX_ENUM, _MAX_ENUM)", "_whole(content, -_MAX_ENUM, 2 * _MAX_ENUM)"),),
        (f"{DATA}test_h163_what_is_no_packet_data",),
    ),
    Mutant(
        "h163-a-message-without-a-type",
        f"{_APPS}execution.py",
        (("if each.type_url else _EMPTY", "if each else _EMPTY"),),
        (f"{HOST}test_h163_what_is_no_message",),
    ),
    Mutant(
        "h163-json-that-prints-otherwise",
        "ibc_core/wire/exact_json.py",
        (("all(_is_same(members[name], each) for name, each in printed.items())", "bool(members)"),),
        (f"{JSON}test_what_prints_otherwise_is_refused",),
    ),
    Mutant(
        "h163-numbers-that-print-otherwise",
        "ibc_core/wire/exact_json.py",
        ((" or not all(map(_is_printed_alike, _messages(message)))", ""),),
        (f"{JSON}test_what_prints_otherwise_is_refused",),
    ),
    Mutant(
        "h163-an-address-of-anything",
        f"{_FLOOR}metadata.py",
        (("        check_account_address(metadata.address)\n", "        pass\n"),),
        (f"{METADATA}test_what_does_not_fit_the_channel",),
    ),
    Mutant(
        "h163-another-s-connection",
        f"{_FLOOR}metadata.py",
        (("        if got != expected:\n", "        if not expected:\n"),),
        (f"{METADATA}test_what_does_not_fit_the_channel", f"{HOST}test_what_it_does_not_open"),
    ),
    Mutant(
        "h163-an-allow-list-of-any-length",
        f"{_FLOOR}msg_update_host_params.py",
        (("if len(allowed) > MAX_ALLOW_LIST:", "if len(allowed) < 0:"),),
        (f"{MESSAGES}test_what_the_stateless_checks_refuse",),
    ),
    Mutant(
        "h163-an-owner-of-any-length",
        f"{_FLOOR}msg_register.py",
        ((" or len(owner.encode()) > MAX_OWNER_SIZE", ""),),
        (f"{MESSAGES}test_what_the_stateless_checks_refuse",),
    ),
)

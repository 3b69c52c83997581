"""What Python's own conveniences must not do in code that every validator runs: rules over the AST."""

import ast

from google.protobuf.descriptor import FieldDescriptor

from ibc_core import errors


def plain_name(node):
    """Name of what a call calls: `f` of `f()`, `g` of `x.g()`."""
    if not isinstance(node, ast.Call):
        return ""
    return getattr(node.func, "id", "") or getattr(node.func, "attr", "")


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


# -- D3, D31: texts


def reprs(tree):
    """repr() and !r: of a text they show what this Python thinks printable, of an object its address."""
    dunder = {
        each for function in functions(tree) if function.name == "__repr__" for each in ast.walk(function)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r") and node not in dunder:
            yield node, "!r"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "!r}" in node.value:
            yield node, "!r in a template"
        elif plain_name(node) == "repr" and node not in dunder:
            yield node, "repr()"


def test_d3_no_text_is_a_repr(keeps):
    """Events carry texts of errors; !a is the same in every version of Python."""
    keeps(
        reprs,
        ("f'{x!r}'", "repr(x)", "text = 'bad {value!r}'"),
        ("f'{x!a}'", "text = 'bad {value!a}'", "def __repr__(self): return f'{self.x!r}'"),
        {"iavl/": {"!r": "errors of the storage, which stop the node", "!r in a template": "the same"}},
    )


ERRORS = frozenset(name for name in vars(errors) if name[0].isupper())


def texts_of_errors(tree):
    """A caught error put anywhere but into another error, an acknowledgement's code, or a refusal's event."""
    for handler in ast.walk(tree):
        if not (isinstance(handler, ast.ExceptHandler) and handler.name):
            continue
        harmless = set()
        for node in ast.walk(handler):
            known = {
                "failure",
                "failure_text",
                "failed_query",
                "failed_tx",
                "emit_refused",
                "emit_refused_v2",
                "_emit_denied",
                "UnreadableSet",
            }
            name = plain_name(node)
            if isinstance(node, ast.Raise) or name in known or name in ERRORS:
                harmless |= set(ast.walk(node))
        for node in ast.walk(handler):
            if isinstance(node, ast.Name) and node.id == handler.name and node not in harmless:
                yield node, "an error's text"


def test_d31_the_text_of_an_error_goes_into_no_result(keeps):
    planted = (
        "try: f()\nexcept E as e: store.set(b'k', str(e).encode())",
        "try: f()\nexcept E as error: return Ack(f'{error}')",
    )
    fine = (
        "try: f()\nexcept E as e: raise X(str(e)) from e",
        "try: f()\nexcept E as e: return failure(e)",
        "try: f()\nexcept E as e: return TxDecode(e.reason)",
    )
    allowed = {
        "iavl/disk/": {"an error's text": "of the storage, whose errors stop the node"},
        "ibc_module/apps/callbacks/guarded.py": {"an error's text": "a contract's, to be judged: its event"},
    }
    keeps(texts_of_errors, planted, fine, allowed)


# -- D7: division


def divisions(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            left = node.left if isinstance(node, ast.BinOp) else node.target
            constant = isinstance(node, ast.BinOp) and all(
                isinstance(each, ast.Constant) for each in (left, node.right)
            )
            text = isinstance(left, ast.Constant) and isinstance(left.value, str | bytes)
            if not constant and not text:
                yield node, "// or %"
        elif plain_name(node) == "divmod":
            yield node, "// or %"


NOT_NEGATIVE = {
    "ibc_core/wire/budget.py": "the size of an input",
    "ibc_core/proofs/wire.py": "the size of a proof",
    "ibc_core/packet_v2/types.py": "a time, also one before 1970: Go's time.Unix rounds down as well",
    "handlers/packet_v2/": "times of blocks and of consensus states, unsigned",
    "keepers/connection/keeper.py": "-(-a // b) rounds an unsigned number up",
    "ibc_core/crypto/": "prime fields, where % is meant to be positive, and lengths",
    "light_client/solomachine/signatures.py": "places of bits",
    "light_client/tendermint/codec.py": "Timestamp: seconds are rounded down, nanos are positive, as in Go",
    "light_client/tendermint/encoding.py": "the same; durations are divided as absolute values",
    "light_client/tendermint/merkle.py": "lengths",
    "light_client/tendermint/state_codec.py": "durations as absolute values",
    "ibc_core/wire/gotime.py": "the calendar, rounded down on purpose",
    "light_client/tendermint/types.py": "a constant",
    "light_client/tendermint/upgrade.py": "periods that were checked to be positive",
    "light_client/tendermint/voting.py": "powers, which are positive",
    "iavl/disk/": "sizes",
    "ibc_core/rate_limit/epoch.py": "Timestamp, as above; durations are divided as absolute values",
    "ibc_core/rate_limit/limit.py": "supplies and percentages, which are not negative",
    "ibc_module/apps/rate_limit/genesis.py": "the time of a genesis, after 1970",
    "ibc_module/apps/rate_limit/limits.py": "numbers of hours, unsigned",
    "ibc_core/wire/abi.py": "lengths",
    "light_client/attestations/attestor.py": "a time, which protobuf has unsigned",
    "ibc_core/address.py": "lengths",
    "ibc_core/proofs/checks.py": "a length and a checked child size",
    "ibc_core/proofs/neighbours.py": "a length and a size of one at least",
    "ibc_core/client/upgrade_plan.py": "Timestamp, as above",
    "localnet/host/ante.py": "-(-a // b) rounds an unsigned number up",
    "localnet/host/bank.py": "a length",
    "ibc_core/wire/godouble.py": "of a fraction that is not negative, as `nearest_double` demands",
    "ibc_core/wire/goduration.py": "constants",
    "ibc_core/wire/jsontimes.py": "Timestamp, as above; durations are divided as absolute values",
    "localnet/host/node_queries.py": "a price, which is positive, for people to read",
}


def test_d7_nothing_negative_is_divided(keeps):
    """Python rounds down where Go rounds towards zero; each place says why that cannot differ."""
    allowed = {place: {"// or %": why} for place, why in NOT_NEGATIVE.items()}
    keeps(divisions, ("a // b", "a % 3", "divmod(a, b)", "a //= 2"), ("b'%d' % n", "7 // 2"), allowed)


# -- D8, D9, D12, D14, D15, D23: readers that are too kind


def ints(tree):
    for node in ast.walk(tree):
        if plain_name(node) == "int" and isinstance(node.func, ast.Name):
            yield node, "int()"


def test_d8_d9_texts_become_numbers_in_few_places(keeps):
    """int() takes blanks, signs, underscores and other scripts, and its limit can be configured away."""
    checked = {
        "ibc_core/wire/gotime.py": "digits that an ASCII pattern found, nine at most",
        "ibc_core/comet_json/fields.py": "ASCII digits, 20 at most",
        "ibc_core/packet/acknowledgement.py": "one to three digits that a pattern found",
        "ibc_core/wire/gojson_text.py": "four hexadecimal digits that a pattern found",
        "ibc_core/coin.py": "digits of its base, counted first",
        "ibc_core/identifiers.py": "1 to 20 ASCII digits",
        "ibc_core/numbers.py": "1 to 20 ASCII digits",
        "ibc_core/address.py": "a translated bech32 text of bounded length",
        "ibc_core/wire/tx.py": "protobuf's enums",
        "ibc_module/apps/transfer/state.py": "what it wrote itself, 78 digits at most",
        "ibc_module/apps/transfer/genesis.py": "1 to 78 ASCII digits",
        "ibc_module/apps/queue_coins/denom.py": "1 to 78 ASCII digits",
        "ibc_module/genesis/upgrade.py": "a number that protobuf printed",
        "ibc_core/wire/protojson.py": "ASCII digits, 20 at most",
        "ibc_core/interchain_accounts/json_fields.py": "ASCII digits that a pattern found, 10 at most",
        "ibc_core/wire/godouble.py": "ASCII digits that a pattern found, 400 at most",
        "ibc_core/wire/goduration.py": "ASCII digits that a pattern found, 19 at most",
    }
    allowed = {place: {"int()": why} for place, why in checked.items()}
    keeps(ints, ("int(text)", "int(x, 16)"), ("x.int(1)", "int.from_bytes(raw)"), allowed)


KIND = {"isdigit", "isalnum", "isalpha", "isdecimal", "isnumeric", "isspace", "isprintable", "isidentifier"}


def kind_tests(tree):
    """str.isdigit and the like, unless isascii() stands beside it."""
    guarded = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp) and any(
            plain_name(each) == "isascii" for part in node.values for each in ast.walk(part)
        ):
            guarded |= set(ast.walk(node))
    for node in ast.walk(tree):
        if plain_name(node) in KIND and node not in guarded:
            yield node, plain_name(node)


def test_d12_characters_are_asked_for_by_name(keeps):
    keeps(kind_tests, ("x.isdigit()", "if a and x.isalnum(): pass"), ("x.isascii() and x.isdigit()",))


def trims(tree):
    """strip() and split() without an argument go by Python's idea of blank."""
    for node in ast.walk(tree):
        if (
            plain_name(node) in {"strip", "lstrip", "rstrip", "split", "rsplit", "splitlines"}
            and not node.args
        ):
            yield node, plain_name(node)


def test_d14_what_is_trimmed_is_named(keeps):
    keeps(trims, ("x.strip()", "x.split()", "x.splitlines()"), ("x.strip(GO_SPACES)", "x.split('/')"))


def letter_cases(tree):
    for node in ast.walk(tree):
        if plain_name(node) in {"lower", "upper", "casefold", "title", "capitalize", "swapcase", "normalize"}:
            yield node, plain_name(node)
        elif isinstance(node, ast.Import) and any(each.name == "unicodedata" for each in node.names):
            yield node, "unicodedata"


def test_d15_no_text_is_normalised(keeps):
    allowed = {
        "ibc_core/address.py": {"lower": "bech32, ASCII alone", "upper": "the same"},
        "ibc_core/transfer/denom.py": {"upper": "hexadecimal digits"},
        "ibc_module/apps/queue_coins/denom.py": {"upper": "hexadecimal digits"},
    }
    planted = ("x.lower()", "x.casefold()", "unicodedata.normalize('NFC', x)", "import unicodedata")
    keeps(letter_cases, planted, ("x.replace('a', 'b')",), allowed)


DECODERS = {
    "b64decode", "a85decode", "b85decode", "b32decode", "decodebytes", "a2b_base64", "fromhex", "unhexlify",
}  # fmt: skip


def loose_decoders(tree):
    for node in ast.walk(tree):
        name = plain_name(node)
        strict = name == "b64decode" and "validate=True" in ast.unparse(node)
        constant = name in {"fromhex", "unhexlify"} and isinstance(node.args[0], ast.Constant)
        if name in DECODERS and not strict and not constant:
            yield node, name


def test_d23_bytes_in_texts_are_read_strictly(keeps):
    planted = ("b64decode(x)", "b64decode(x, validate=False)", "bytes.fromhex(x)", "unhexlify(x)")
    allowed = {
        "ibc_core/comet_json/fields.py": {
            "unhexlify": "takes no blanks; a node's JSON, read by relayers only"
        },
        "ibc_core/wire/gojson_text.py": {"a2b_base64": "by Go's rules, which are checked first"},
        "ibc_core/interchain_accounts/packet_data.py": {"a2b_base64": "what a pattern found whole"},
        "ibc_core/callbacks/asked.py": {"fromhex": "pairs of hexadecimal digits that a pattern found"},
        "ibc_core/packet/event_reader.py": {"unhexlify": "takes no blanks; events, read by relayers only"},
        "ibc_core/packet_v2/event_reader.py": {"unhexlify": "takes no blanks; events, read by relayers only"},
        "ibc_module/apps/transfer/": {"fromhex": "64 hexadecimal digits that were checked before"},
        "ibc_core/transfer/names.py": {"fromhex": "64 hexadecimal digits that were checked before"},
        "ibc_core/wire/protojson.py": {"unhexlify": "takes no blanks, as Go's"},
        "ibc_module/apps/gmp/queries.py": {"unhexlify": "the same"},
        "light_client/attestations/states.py": {"fromhex": "40 digits that a pattern found"},
        "localnet/host/accounts_plugin.py": {"fromhex": "the genesis"},
        "localnet/host/legacy_events.py": {"fromhex": "what the host itself wrote as hexadecimal digits"},
    }
    keeps(loose_decoders, planted, ("b64decode(x, validate=True)", "bytes.fromhex('00ff')"), allowed)


# -- D17, D18, D21: JSON


def json_readers(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
            for name in names:
                if name.split(".")[0] in {"json", "msgspec", "simplejson", "orjson"}:
                    yield node, name


def test_h9_d17_d18_d21_there_is_one_reader_of_each_kind_of_json(keeps):
    """Packet data: msgspec, into texts alone, with Go's rules behind it; all else: gojson. So nothing reads
    bytes as UTF-16, a NaN, or a number of any size.
    """
    allowed = {
        "ibc_module/apps/transfer/packet_data.py": {"msgspec": "the five text fields of a packet"},
        "ibc_core/host/depth.py": {"json.decoder": "knows it where an application calls it"},
        "ibc_core/comet_json/results.py": {
            "msgspec": "events in a node's answer, texts alone; no chain reads it"
        },
        "ibc_core/wire/gojson.py": {"msgspec": "a number's class, of which the garbage collector is spared"},
    }
    keeps(
        json_readers,
        ("import json", "from json import loads", "import msgspec.json"),
        ("import re",),
        allowed,
    )


# -- D30, D33: state between calls


def concurrency(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield node, "async"
        elif plain_name(node) in {"Thread", "Timer", "ThreadPoolExecutor", "finalize", "WeakValueDictionary"}:
            yield node, plain_name(node)
        elif isinstance(node, ast.FunctionDef) and node.name == "__del__":
            yield node, "__del__"


def test_d30_nothing_runs_beside_a_block(keeps):
    planted = ("async def f(): pass", "Thread(target=f)", "weakref.finalize(x, f)", "def __del__(self): pass")
    held = "which object stands for a name; whoever shows one holds it, so it is there"
    allowed = {"keepers/direct/capability.py": {"WeakValueDictionary": held}}
    keeps(concurrency, planted, ("def f(): pass",), allowed)


MUTABLE = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp


def shared_state(tree):
    """Mutable defaults, mutable class attributes, and caches of what depends on the chain's state."""
    for function in functions(tree):
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if isinstance(default, MUTABLE):
                yield default, "a mutable default"
        arguments = {each.arg for each in function.args.args}
        cached = [
            each
            for each in function.decorator_list
            if "cache" in ast.unparse(each) or ast.unparse(each).startswith("kept(")
        ]
        if (
            cached
            and "cached_property" not in ast.unparse(cached[0])
            and arguments & {"self", "ctx", "keepers", "store"}
        ):
            yield function, "a cache over state"
    for owner in ast.walk(tree):
        for node in owner.body if isinstance(owner, ast.ClassDef) else ():
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            named = ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else ""
            if isinstance(value, MUTABLE) and named != "__slots__":
                yield node, "a mutable class attribute"


def counted_caches(tree):
    """Caches that are bounded by their entries, not by what these weigh: each needs a reason."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and plain_of(node) in {"lru_cache", "cache"}:
            yield node, "lru_cache"


def plain_of(node):
    return node.id if isinstance(node, ast.Name) else node.attr


COUNTED = {
    "ibc_core/address.py": "texts of at most 120 characters, and addresses of at most 64 bytes",
    "ibc_core/application/handed_down.py": "callbacks of our own applications, when a chain is wired",
    "ibc_core/crypto/zip215.py": "one point",
    "ibc_core/height.py": "chain ids of headers and clients that passed their checks: 50 bytes",
    "ibc_core/host/module_account.py": "names that the host gives",
    "ibc_core/identifiers.py": "identifiers in order, 256 characters at most; what is refused is not kept",
    "ibc_core/packet/types.py": "identifiers that were checked",
    "ibc_core/paths.py": "identifiers that were checked, and heights",
    "ibc_core/queue/events.py": "ends that were checked",
    "ibc_core/queue/types.py": "ends that were checked; what is refused is not kept",
    "ibc_core/wire/gojson_members.py": "one entry for what a middleware looks for in memos",
    "ibc_core/wire/walk.py": "one entry a message type",
    "ibc_module/apps/transfer/coins.py": "denominations of at most 512 characters",
    "ibc_core/transfer/denom.py": "denominations of at most 512 characters",
    "ibc_module/apps/transfer/escrow.py": "identifiers that were checked",
    "ibc_module/apps/transfer/packet_data.py": "packets of at most 1024 bytes, denominations of at most 512",
    "ibc_module/apps/transfer/state.py": "two flags, out of the chain's own store",
    "ibc_proto/pool.py": "one entry a message type; a name that is none is not kept",
    "keepers/client/keeper.py": "identifiers in order; what is refused is not kept",
    "light_client/checks.py": "methods of the host's own classes, when a chain is wired",
    "light_client/tendermint/encoding.py": "numbers",
    "localnet/host/accounts.py": "accounts, which hold a key and numbers",
    "localnet/host/bank.py": "balances' keys: an address and a denomination",
}


def test_h62_caches_are_bounded_by_weight_or_say_why_their_entries_are_small(keeps):
    allowed = {place: {"lru_cache": why} for place, why in COUNTED.items()}
    keeps(
        counted_caches,
        ("lru_cache(5)(f)", "@functools.cache\ndef f(x): pass"),
        ("@kept(5)\ndef f(x): pass",),
        allowed,
    )


def test_d33_nothing_is_kept_between_transactions_or_chains(keeps):
    planted = (
        "def f(x=[]): pass",
        "@lru_cache(5)\ndef f(ctx, x): pass",
        "@cache\ndef f(self): pass",
        "@kept(5)\ndef f(ctx): pass",
        "class A:\n    seen = {}",
        "class A:\n    seen: dict = {}",
    )
    keeps(
        shared_state, planted, ("def f(x=()): pass", "@lru_cache(5)\ndef f(raw): pass", "class A:\n    x = 1")
    )


# -- D32


def loose_sorts(tree):
    """sorted() and sort() by a key that calls something of the value's own making."""
    for node in ast.walk(tree):
        if plain_name(node) in {"sorted", "sort", "min", "max"}:
            for keyword in node.keywords:
                if keyword.arg == "key" and any(
                    plain_name(each) in {"str", "repr", "hash", "id", "casefold", "lower"}
                    or getattr(each, "id", "") in {"str", "repr", "hash", "id"}
                    for each in ast.walk(keyword.value)
                ):
                    yield node, "a loose key"


def test_d32_nothing_is_sorted_by_what_a_value_looks_like(keeps):
    planted = ("sorted(x, key=str)", "x.sort(key=lambda y: hash(y))", "max(x, key=repr)")
    keeps(loose_sorts, planted, ("sorted(x)", "sorted(x, key=lambda y: (-y.power, y.address))"))


# -- D27


def test_d27_no_message_of_the_wire_has_a_map(root):
    """Maps have no order on the wire."""
    files = sorted((root / "ibc_proto").rglob("*_pb2.py"))
    names = [path.relative_to(root).with_suffix("").as_posix().replace("/", ".") for path in files]
    maps, seen = [], 0
    for name in names:
        module = __import__(name, fromlist=["DESCRIPTOR"])
        todo = list(module.DESCRIPTOR.message_types_by_name.values())
        while todo:
            message = todo.pop()
            seen += 1
            todo += message.nested_types
            if message.GetOptions().map_entry:
                maps.append(message.full_name)
            assert all(field.type != FieldDescriptor.TYPE_GROUP for field in message.fields)
    assert seen > 200
    assert maps == []


# -- H9, H41: who calls applications, and who reads acknowledgements


def test_h41_applications_are_called_by_the_router_alone(keeps):
    """Handlers call them after their checks, and middleware the layer below; a message cannot."""
    callbacks = {
        "on_recv_packet", "on_acknowledgement_packet", "on_timeout_packet", "on_send_packet",
        *(f"on_chan_{step}" for step in ("open_init", "open_try", "open_ack", "open_confirm")),
        *(f"on_chan_{step}" for step in ("close_init", "close_confirm")),
    }  # fmt: skip

    def calls_of_callbacks(tree):
        return [(node, "a callback") for node in ast.walk(tree) if plain_name(node) in callbacks]

    allowed = {
        "handlers/packet/": {"a callback": "after the checks of its message"},
        "handlers/packet_v2/": {"a callback": "the same"},
        "handlers/channel/": {"a callback": "the same"},
        "ibc_module/apps/callbacks/": {"a callback": "the layer below"},
        "ibc_module/apps/packet_forward/layers.py": {"a callback": "the layer below"},
        "ibc_module/apps/interchain_accounts/": {"a callback": "the application below the controller"},
        "ibc_module/apps/packet_count.py": {"a callback": "the layer below"},
        "ibc_module/apps/rate_limit/": {"a callback": "the layer below"},
    }
    keeps(calls_of_callbacks, ("app.on_recv_packet(ctx, p)",), ("def on_recv_packet(self): pass",), allowed)


def test_h9_whoever_reads_an_acknowledgement_asks_for_its_one_form(trees):
    """In one file: the same check was missing in one application after the other elsewhere."""
    readers = {
        name
        for name, tree in trees.items()
        for node in ast.walk(tree)
        if plain_name(node) == "parse" and ast.unparse(node.func) == "acks.parse"
    }
    before = {f"ibc_module/apps/rate_limit/{name}.py" for name in ("flow", "layers")}
    """Rate limits count by it, and ICS-20 below them refuses it, which undoes the count."""
    hands_on = "ibc_module/apps/packet_forward/layers.py"
    """Forwarding writes it anew for the chain before, in its one form, whatever form it came in."""
    assert readers == {"ibc_module/apps/transfer/app.py", hands_on, *before}
    for name in ("app.py", "app_v2.py"):
        nodes = ast.walk(trees[f"ibc_module/apps/transfer/{name}"])
        called = [ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)]
        assert called.count("parse_answer") == called.count("check_canonical") == 1

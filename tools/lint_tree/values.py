"""Rules against Python conveniences that are unsafe in chain code.

Each rule yields `(node, what)`; `RULES` lists the exceptions and their reasons.
"""

import ast
from functools import cache
from typing import Any

from tools.lint_tree.chain_rule import ChainRule, Found
from tools.lint_tree.tree import ROOT, called, nodes


@cache
def error_classes() -> frozenset[str]:
    """Return the names of the error classes."""
    files = (ROOT / "pyibc/core/errors").glob("*.py")
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    return frozenset(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))


def functions(tree: ast.Module) -> list[Any]:
    """Return the functions of a module."""
    return [node for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def reprs(tree: ast.Module) -> Found:
    """repr() and !r: the text depends on the Python version or on an object's address."""
    dunder = {
        each for function in functions(tree) if function.name == "__repr__" for each in ast.walk(function)
    }
    for node in nodes(tree):
        if isinstance(node, ast.FormattedValue) and node.conversion == ord("r") and node not in dunder:
            yield node, "!r"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "!r}" in node.value:
            yield node, "!r in a template"
        elif called(node) == "repr" and node not in dunder:
            yield node, "repr()"


def texts_of_errors(tree: ast.Module) -> Found:
    """A caught error put anywhere but into another error, an acknowledgement's code, or a refusal's event."""
    for handler in nodes(tree, ast.ExceptHandler):
        if not handler.name:
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
            name = called(node)
            if isinstance(node, ast.Raise) or name in known or name in error_classes():
                harmless |= set(ast.walk(node))
        for node in ast.walk(handler):
            if isinstance(node, ast.Name) and node.id == handler.name and node not in harmless:
                yield node, "an error's text"


def divisions(tree: ast.Module) -> Found:
    """D7: floor division and remainders by a value that is not constant."""
    for node in nodes(tree):
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.FloorDiv | ast.Mod):
            left = node.left if isinstance(node, ast.BinOp) else node.target
            constant = isinstance(node, ast.BinOp) and all(
                isinstance(each, ast.Constant) for each in (left, node.right)
            )
            text = isinstance(left, ast.Constant) and isinstance(left.value, str | bytes)
            if not constant and not text:
                yield node, "// or %"
        elif called(node) == "divmod":
            yield node, "// or %"


def ints(tree: ast.Module) -> Found:
    """D8, D9: int() of anything."""
    for node in nodes(tree):
        if called(node) == "int" and isinstance(node.func, ast.Name):
            yield node, "int()"


KIND = {"isdigit", "isalnum", "isalpha", "isdecimal", "isnumeric", "isspace", "isprintable", "isidentifier"}


def kind_tests(tree: ast.Module) -> Found:
    """str.isdigit and the like, unless isascii() stands beside it."""
    guarded = set()
    for node in nodes(tree):
        if isinstance(node, ast.BoolOp) and any(
            called(each) == "isascii" for part in node.values for each in ast.walk(part)
        ):
            guarded |= set(ast.walk(node))
    for node in nodes(tree):
        if called(node) in KIND and node not in guarded:
            yield node, called(node)


def trims(tree: ast.Module) -> Found:
    """strip() and split() without an argument, which use Python's definition of whitespace."""
    for node in nodes(tree):
        if called(node) in {"strip", "lstrip", "rstrip", "split", "rsplit", "splitlines"} and not node.args:
            yield node, called(node)


def letter_cases(tree: ast.Module) -> Found:
    """D15: upper and lower case, and normalisation."""
    for node in nodes(tree):
        if called(node) in {"lower", "upper", "casefold", "title", "capitalize", "swapcase", "normalize"}:
            yield node, called(node)
        elif isinstance(node, ast.Import) and any(each.name == "unicodedata" for each in node.names):
            yield node, "unicodedata"


DECODERS = {
    "b64decode", "a85decode", "b85decode", "b32decode", "decodebytes", "a2b_base64", "fromhex", "unhexlify",
}  # fmt: skip


def loose_decoders(tree: ast.Module) -> Found:
    """D23: decoders that skip unknown fields."""
    for node in nodes(tree):
        name = called(node)
        strict = name == "b64decode" and "validate=True" in ast.unparse(node)
        constant = name in {"fromhex", "unhexlify"} and isinstance(node.args[0], ast.Constant)
        if name in DECODERS and not strict and not constant:
            yield node, name


def json_readers(tree: ast.Module) -> Found:
    """D17, D18, D21: readers of JSON."""
    for node in nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [each.name for each in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            )
            for name in names:
                if name.split(".")[0] in {"json", "msgspec", "simplejson", "orjson"}:
                    yield node, name


def concurrency(tree: ast.Module) -> Found:
    """D30: coroutines, threads, finalizers."""
    for node in nodes(tree):
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.AsyncFor | ast.AsyncWith):
            yield node, "async"
        elif called(node) in {"Thread", "Timer", "ThreadPoolExecutor", "finalize", "WeakValueDictionary"}:
            yield node, called(node)
        elif isinstance(node, ast.FunctionDef) and node.name == "__del__":
            yield node, "__del__"


MUTABLE = ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp


def shared_state(tree: ast.Module) -> Found:
    """Mutable defaults, mutable class attributes, and caches of values that depend on the chain's state."""
    for function in functions(tree):
        for default in (*function.args.defaults, *function.args.kw_defaults):
            if isinstance(default, MUTABLE):
                yield default, "a mutable default"
        arguments = {each.arg for each in function.args.args}
        cached = [
            each
            for each in function.decorator_list
            if "cache" in ast.unparse(each) or ast.unparse(each).startswith("memoize(")
        ]
        if (
            cached
            and "cached_property" not in ast.unparse(cached[0])
            and arguments & {"self", "ctx", "keepers", "store"}
        ):
            yield function, "a cache over state"
    for owner in nodes(tree):
        for node in owner.body if isinstance(owner, ast.ClassDef) else ():
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            named = ast.unparse(node.target) if isinstance(node, ast.AnnAssign) else ""
            if isinstance(value, MUTABLE) and named != "__slots__":
                yield node, "a mutable class attribute"


def counted_caches(tree: ast.Module) -> Found:
    """Caches bounded by the number of entries instead of their size: each needs a reason."""
    for node in nodes(tree):
        if isinstance(node, ast.Name | ast.Attribute) and plain_of(node) in {"lru_cache", "cache"}:
            yield node, "lru_cache"


def plain_of(node: Any) -> str:
    """Return the identifier of a name or an attribute."""
    return node.id if isinstance(node, ast.Name) else node.attr


def loose_sorts(tree: ast.Module) -> Found:
    """sorted() and sort() by a key that calls something of the value's own making."""
    for node in nodes(tree):
        if called(node) in {"sorted", "sort", "min", "max"}:
            for keyword in node.keywords:
                if keyword.arg == "key" and any(
                    called(each) in {"str", "repr", "hash", "id", "casefold", "lower"}
                    or getattr(each, "id", "") in {"str", "repr", "hash", "id"}
                    for each in ast.walk(keyword.value)
                ):
                    yield node, "a loose key"


CALLBACKS = {
    "on_recv_packet", "on_acknowledgement_packet", "on_timeout_packet", "on_send_packet",
    "on_chan_open_init", "on_chan_open_try", "on_chan_open_ack", "on_chan_open_confirm",
    "on_chan_close_init", "on_chan_close_confirm",
}  # fmt: skip


def calls_of_callbacks(tree: ast.Module) -> Found:
    """Return the calls of an application's callbacks."""
    return [(node, "a callback") for node in nodes(tree, ast.Call) if called(node) in CALLBACKS]


RULES = (
    ChainRule(
        "repr",
        reprs,
        "D3: a repr differs between versions of Python: use !a",
        {"iavl/": {"!r": "errors of the storage, which stop the node", "!r in a template": "the same"}},
    ),
    ChainRule(
        "error-texts",
        texts_of_errors,
        "D31: texts of errors differ between versions and must not get into a result",
        {
            "iavl/disk/": {"an error's text": "of the storage, whose errors stop the node"},
            "iavl/restore.py": {"an error's text": "a number of bytes"},
            "pyibc/isolation/": {"an error's text": "for the node's log; results have code and place alone"},
        },
    ),
    ChainRule(
        "division",
        divisions,
        "D7: Python rounds down where Go rounds towards zero: say why it cannot be negative",
        {
            "pyibc/codec/budget.py": {"// or %": "the size of an input"},
            "pyibc/core/proofs/decode.py": {"// or %": "the size of a proof"},
            "pyibc/core/packet_v2/types.py": {
                "// or %": "a time, also one before 1970: Go's time.Unix rounds down as well"
            },
            "handlers/packet_v2/": {"// or %": "times of blocks and of consensus states, unsigned"},
            "keepers/connection.py": {"// or %": "-(-a // b) rounds an unsigned number up"},
            "pyibc/core/crypto/": {"// or %": "prime fields, where % is meant to be positive, and lengths"},
            "light_client/solomachine/signatures.py": {"// or %": "places of bits"},
            "light_client/tendermint/codec.py": {
                "// or %": "Timestamp: seconds are rounded down, nanos are positive, as in Go"
            },
            "light_client/tendermint/encoding.py": {
                "// or %": "the same; durations are divided as absolute values; lengths"
            },
            "light_client/tendermint/states.py": {"// or %": "durations as absolute values"},
            "pyibc/codec/gotime.py": {"// or %": "the calendar, rounded down on purpose; absolute values"},
            "light_client/tendermint/types.py": {"// or %": "a constant"},
            "light_client/tendermint/upgrade.py": {"// or %": "periods that were checked to be positive"},
            "light_client/tendermint/verifier.py": {"// or %": "powers, which are positive"},
            "iavl/disk/": {"// or %": "sizes"},
            "pyibc/apps/rate_limit/limit.py": {
                "// or %": "Timestamp, as above; durations, supplies and percentages, not negative"
            },
            "pyibc/apps/rate_limit/genesis.py": {"// or %": "the time of a genesis, after 1970"},
            "pyibc/apps/rate_limit/msg_server.py": {"// or %": "numbers of hours, unsigned"},
            "pyibc/queues/plugin.py": {"// or %": "half of a limit, and of gas that is left"},
            "pyibc/codec/abi.py": {"// or %": "lengths"},
            "light_client/attestations/states.py": {"// or %": "a time, which protobuf has unsigned"},
            "pyibc/core/address.py": {"// or %": "lengths"},
            "pyibc/core/proofs/verify.py": {
                "// or %": "lengths, a checked child size, and a size of one at least"
            },
            "pyibc/core/client/types.py": {"// or %": "Timestamp, as above"},
            "pyibc/chain/tx/ante.py": {"// or %": "-(-a // b) rounds an unsigned number up"},
            "pyibc/chain/bank/keeper.py": {"// or %": "a length"},
            "pyibc/codec/gonumbers.py": {
                "// or %": "of a fraction that is not negative; constants, and digits without a sign"
            },
            "pyibc/codec/exact_json.py": {"// or %": "a length"},
            "pyibc/chain/queries/node_queries.py": {
                "// or %": "a price, which is positive, for people to read"
            },
        },
    ),
    ChainRule(
        "int-of-text",
        ints,
        "D8, D9: int() takes blanks, signs and other scripts: use parse_u64, or say what was checked",
        {
            "pyibc/codec/gotime.py": {"int()": "digits that an ASCII pattern found, nine at most"},
            "pyibc/codec/comet_json.py": {"int()": "ASCII digits, 20 at most"},
            "pyibc/core/packet/acknowledgement.py": {"int()": "one to three digits that a pattern found"},
            "pyibc/codec/gojson.py": {"int()": "four hexadecimal digits that a pattern found"},
            "pyibc/core/coin.py": {"int()": "digits of its base, counted first"},
            "pyibc/core/identifiers.py": {"int()": "1 to 20 ASCII digits"},
            "pyibc/core/numbers.py": {"int()": "1 to 20 ASCII digits"},
            "pyibc/core/address.py": {"int()": "a translated bech32 text of bounded length"},
            "pyibc/core/wire/tx.py": {"int()": "protobuf's enums"},
            "pyibc/apps/transfer/state.py": {"int()": "1 to 78 ASCII digits, or what it wrote itself"},
            "pyibc/queues/coins.py": {"int()": "1 to 78 ASCII digits"},
            "ibc_module/genesis/upgrade.py": {"int()": "a number that protobuf printed"},
            "pyibc/codec/protojson.py": {"int()": "ASCII digits, 20 at most"},
            "pyibc/apps/interchain_accounts/packet_data.py": {
                "int()": "ASCII digits that a pattern found, 10 at most"
            },
            "pyibc/codec/gonumbers.py": {"int()": "ASCII digits that a pattern found, 400 at most"},
        },
    ),
    ChainRule(
        "character-kinds", kind_tests, "D12: it is true of other scripts too: ask isascii() as well", {}
    ),
    ChainRule(
        "trims", trims, "D14: without an argument it goes by Python's idea of blank: name the characters", {}
    ),
    ChainRule(
        "letter-cases",
        letter_cases,
        "D15: Unicode changes between versions of Python",
        {
            "pyibc/core/address.py": {"lower": "bech32, ASCII alone", "upper": "the same"},
            "pyibc/apps/transfer/denom.py": {"upper": "hexadecimal digits"},
            "pyibc/queues/coins.py": {"upper": "hexadecimal digits"},
        },
    ),
    ChainRule(
        "loose-decoders",
        loose_decoders,
        "D23: it skips what it does not know: use the strict readers",
        {
            "pyibc/codec/comet_json.py": {
                "unhexlify": "takes no blanks; a node's JSON, read by relayers only"
            },
            "pyibc/codec/gojson.py": {"a2b_base64": "by Go's rules, which are checked first"},
            "pyibc/apps/interchain_accounts/packet_data.py": {"a2b_base64": "what a pattern found whole"},
            "pyibc/apps/callbacks/memo.py": {"fromhex": "pairs of hexadecimal digits that a pattern found"},
            "pyibc/core/packet/events.py": {"unhexlify": "takes no blanks; events, read by relayers only"},
            "pyibc/core/packet_v2/events.py": {"unhexlify": "takes no blanks; events, read by relayers only"},
            "pyibc/apps/transfer/": {"fromhex": "64 hexadecimal digits that were checked before"},
            "pyibc/apps/transfer/denom.py": {"fromhex": "64 hexadecimal digits that were checked before"},
            "pyibc/codec/protojson.py": {"unhexlify": "takes no blanks, as Go's"},
            "pyibc/apps/gmp/queries.py": {"unhexlify": "the same"},
            "light_client/attestations/states.py": {"fromhex": "40 digits that a pattern found"},
            "pyibc/chain/accounts/plugin.py": {"fromhex": "the genesis"},
            "pyibc/chain/events.py": {"fromhex": "what the host itself wrote as hexadecimal digits"},
        },
    ),
    ChainRule(
        "json-readers",
        json_readers,
        "D17, D18, D21: two readers of JSON read some texts in two ways: use pyibc.codec.gojson",
        {
            "pyibc/apps/transfer/packet_data.py": {"msgspec": "the five text fields of a packet"},
            "pyibc/isolation/call_depth.py": {"json.decoder": "knows it where an application calls it"},
            "pyibc/core/comet.py": {"msgspec": "events in a node's answer, texts alone; no chain reads it"},
            "pyibc/codec/gojson.py": {
                "msgspec": "a number's class, of which the garbage collector is spared"
            },
        },
    ),
    ChainRule(
        "concurrency",
        concurrency,
        "D30: nothing runs beside a block",
        {
            "pyibc/direct/capability.py": {
                "WeakValueDictionary": "which object stands for a name; whoever "
                "shows one holds it, so it is there"
            }
        },
    ),
    ChainRule(
        "counted-caches",
        counted_caches,
        "H62: bound a cache by the bytes it holds (pyibc.core.memo), or say why its entries are small",
        {
            "pyibc/core/address.py": {
                "lru_cache": "texts of 120 characters at most, addresses of 64 bytes, names of modules"
            },
            "pyibc/core/crypto/zip215.py": {"lru_cache": "one point"},
            "pyibc/core/height.py": {
                "lru_cache": "chain ids of headers and clients that passed their checks: 50 bytes"
            },
            "pyibc/core/identifiers.py": {
                "lru_cache": "identifiers in order, 256 characters at most; what is refused is not kept"
            },
            "pyibc/core/packet/types.py": {"lru_cache": "identifiers that were checked"},
            "pyibc/core/paths.py": {"lru_cache": "identifiers that were checked, and heights"},
            "pyibc/queues/packet.py": {"lru_cache": "ends that were checked"},
            "pyibc/queues/types.py": {"lru_cache": "ends that were checked; what is refused is not kept"},
            "pyibc/codec/gonumbers.py": {"lru_cache": "two numbers, by eight units and 40 digits"},
            "pyibc/codec/gojson_members.py": {
                "lru_cache": "one entry for what a middleware looks for in memos"
            },
            "pyibc/codec/exact_json.py": {"lru_cache": "one entry a message type"},
            "pyibc/codec/walk.py": {"lru_cache": "one entry a message type"},
            "pyibc/codec/gogoproto.py": {"lru_cache": "one entry a message type"},
            "pyibc/apps/transfer/coins.py": {
                "lru_cache": "denominations of at most 512 characters, identifiers"
            },
            "pyibc/apps/transfer/denom.py": {"lru_cache": "denominations of at most 512 characters"},
            "pyibc/apps/transfer/packet_data.py": {
                "lru_cache": "packets of at most 1024 bytes, denominations of at most 512"
            },
            "pyibc/apps/transfer/state.py": {"lru_cache": "two flags, out of the chain's own store"},
            "pyibc/proto/pool.py": {"lru_cache": "one entry a message type; a name that is none is not kept"},
            "keepers/client.py": {"lru_cache": "identifiers in order; what is refused is not kept"},
            "light_client/checks.py": {
                "lru_cache": "methods of the host's own classes, when a chain is wired"
            },
            "light_client/tendermint/encoding.py": {"lru_cache": "numbers"},
            "pyibc/chain/accounts/keeper.py": {"lru_cache": "accounts, which hold a key and numbers"},
            "pyibc/chain/bank/keeper.py": {"lru_cache": "balances' keys: an address and a denomination"},
        },
    ),
    ChainRule("shared-state", shared_state, "D33: it is kept between transactions or shared by chains", {}),
    ChainRule(
        "loose-sorts", loose_sorts, "D32: the order depends on how a value looks: sort by its fields", {}
    ),
    ChainRule(
        "callbacks",
        calls_of_callbacks,
        "H41: applications are called by handlers after their checks, and by the layer above",
        {
            "handlers/packet/": {"a callback": "after the checks of its message"},
            "handlers/packet_v2/": {"a callback": "the same"},
            "handlers/channel/": {"a callback": "the same"},
            "pyibc/apps/callbacks/": {"a callback": "the layer below"},
            "pyibc/apps/packet_forward/middleware.py": {"a callback": "the layer below"},
            "pyibc/apps/interchain_accounts/": {"a callback": "the application below the controller"},
            "pyibc/apps/packet_count.py": {"a callback": "the layer below"},
            "pyibc/apps/rate_limit/": {"a callback": "the layer below"},
        },
    ),
)

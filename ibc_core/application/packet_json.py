"""JSON of packets, for applications: read alike on every machine, and no deeper than they can follow."""

from ibc_core.errors import InvalidRequest
from ibc_core.wire.gojson import Json, JsonError, parse
from ibc_core.wire.json_depth import MAX_JSON_DEPTH, is_deeper


def read_json(data: bytes) -> Json:
    """What JSON in a packet says: texts, `Number`, booleans, None, lists, and `Object` with its members.

    By the rules of Go's encoding/json: UTF-8 alone, no NaN, numbers as they are written.

    Raises:
        InvalidRequest: it is no JSON, or nests deeper than 200 lists and objects.
    """
    if is_deeper(data):
        raise InvalidRequest(f"JSON nested deeper than {MAX_JSON_DEPTH}")
    try:
        return parse(data)
    except JsonError as error:
        raise InvalidRequest(f"no JSON: {error}") from error

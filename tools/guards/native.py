"""Guards of the seam to native code: no answer but yes counts, and none of another version."""

from tools.guards.mutant import Mutant

_SEAM, _SEEN = "ibc_core/native.py", "light_client/tendermint/seen.py"
TESTS = "tests/unit/ibc_core/test_native.py::"
JUDGE = "tests/unit/conformance/native/test_judge.py::"
SAME = f"{JUDGE}test_h197_the_same_comes_out_with_whatever_accepts_what_python_accepts"

H197 = (
    Mutant(
        "h197-a-refusal-is-the-last-word",
        _SEEN,
        (
            (
                "        client_header = client_header.decoded()\n",
                "        raise HeaderVerificationError\n",
            ),
        ),
        (SAME,),
    ),
    Mutant(
        "h197-any-time-and-height",
        _SEEN,
        (
            (
                "    except HeaderVerificationError:\n        return False\n",
                "    except HeaderVerificationError:\n        pass\n",
            ),
        ),
        (SAME,),
    ),
    Mutant(
        "h197-any-trusted-validators",
        _SEEN,
        (("    if seen.trusted_hash != announced or ", "    if "),),
        (SAME,),
    ),
    Mutant(
        "h197-one-yes-for-every-question",
        _SEEN,
        (("        if self._committed != asked:\n", "        if self._committed is None:\n"),),
        (f"{JUDGE}test_h197_a_yes_is_remembered_for_its_question_alone",),
    ),
)
H198 = (
    Mutant(
        "h198-what-falls-falls-on",
        _SEAM,
        (("    except _falls:\n", "    except ():\n"),),
        (f"{TESTS}test_h198_what_falls_has_not_accepted",),
    ),
    Mutant(
        "h198-panics-pass",
        _SEAM,
        ((', getattr(module, "PanicException", ValueError))', ")"),),
        (f"{TESTS}test_h198_what_falls_has_not_accepted",),
    ),
)
H199 = (
    Mutant(
        "h199-any-version",
        _SEAM,
        (("    if found != VERSION:", "    if False:"),),
        (f"{TESTS}test_h199_another_version_is_not_used",),
    ),
)

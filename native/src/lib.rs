//! What of pyibc is native: functions of bytes and plain tuples that accept, or say that they do not. And, judged
//! by rules of its own, a tree (`tree`).
//!
//! Python is the reference: whatever is not accepted here it looks at from the start, and it alone names
//! errors (docs/adr/0026). A function is therefore as strict as it likes, and must never accept what Python
//! would refuse. Nothing here has a clock, chance, a thread or a state that a verdict depends on.

mod commit;
mod ed25519;
mod events;
mod header;
mod ics23;
mod merkle;
mod results;
mod tree;
mod wire;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyTuple};
use ripemd::{Digest, Ripemd160};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// What the seam in Python asks for before it uses anything: raised when a function here changes.
const VERSION: u32 = 3;

/// What `work` answers; `T::default()`, which accepts nothing, where it panics.
fn guarded<T: Default>(work: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_default()
}

/// Whether every signature verifies by ZIP-215: (public key, message, signature) each, as one batch.
#[pyfunction]
fn verify_batch(votes: Vec<(PyBackedBytes, PyBackedBytes, PyBackedBytes)>) -> bool {
    guarded(|| ed25519::all_verify(votes.iter().map(|(key, message, signature)| (&**key, &**message, &**signature))))
}

/// What an ICS-7 header holds, if it is well-formed and belongs together; None if it may not be.
#[pyfunction]
fn read_header<'py>(py: Python<'py>, raw: &[u8]) -> PyResult<Option<Bound<'py, PyAny>>> {
    match guarded(|| header::checked(raw)) {
        Some(found) => header::to_python(py, &found).map(Some),
        None => Ok(None),
    }
}

/// Whether enough of a header's validators signed it, and enough of the trusted ones.
#[pyfunction]
fn verify_commit(raw: &[u8], adjacent: bool, numerator: u64, denominator: u64) -> bool {
    let trusting = if adjacent { None } else { Some((numerator, denominator)) };
    guarded(|| commit::enough_signed(raw, trusting).is_some())
}

/// Whether a chained proof shows `value` at `key` of a store of an SDK chain.
#[pyfunction]
fn shows(root: &[u8], store: &[u8], key: &[u8], value: &[u8], proof: &[u8]) -> bool {
    guarded(|| ics23::shows(root, store, key, value, proof).is_some())
}

/// Whether a chained proof shows that nothing is at `key`, which lies between two neighbours.
#[pyfunction]
fn shows_absence(root: &[u8], store: &[u8], key: &[u8], proof: &[u8]) -> bool {
    guarded(|| ics23::shows_absence(root, store, key, proof).is_some())
}

/// Events of ABCI as the field `number`, of 15 at most, of the message that they stand in.
#[pyfunction]
fn encode_events<'py>(py: Python<'py>, events: &Bound<'py, PyAny>, number: u8) -> Option<Bound<'py, PyBytes>> {
    if !(1..16).contains(&number) {
        return None;
    }
    guarded(|| events::encode(events, number)).map(|raw| PyBytes::new(py, &raw))
}

/// What an answer to pyibc.node.v1.Query/BlockResults says; None if it may not be well-formed.
#[pyfunction]
fn read_results<'py>(py: Python<'py>, raw: &[u8]) -> Option<Bound<'py, PyTuple>> {
    guarded(|| results::read(py, raw))
}

/// RIPEMD-160.
#[pyfunction]
fn ripemd160<'py>(py: Python<'py>, data: &[u8]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, &Ripemd160::digest(data))
}

/// Panics, within the guard or outside of it: for the tests of both.
#[pyfunction]
fn fall(guard: bool) -> bool {
    let work = || -> bool { panic!("asked to fall") };
    if guard {
        guarded(work)
    } else {
        work()
    }
}

/// How many keys are kept decompressed: for tests of the bound.
#[pyfunction]
fn kept_keys() -> usize {
    ed25519::kept()
}

/// Forgets the keys that are kept decompressed: for benchmarks and tests.
#[pyfunction]
fn forget_keys() {
    ed25519::forget();
}

#[pymodule(gil_used = true)]
fn pyibc_native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VERSION", VERSION)?;
    module.add("PanicException", module.py().get_type::<pyo3::panic::PanicException>())?;
    module.add_submodule(&tree::module(module.py())?)?;
    module.add_function(wrap_pyfunction!(verify_batch, module)?)?;
    module.add_function(wrap_pyfunction!(read_header, module)?)?;
    module.add_function(wrap_pyfunction!(verify_commit, module)?)?;
    module.add_function(wrap_pyfunction!(shows, module)?)?;
    module.add_function(wrap_pyfunction!(shows_absence, module)?)?;
    module.add_function(wrap_pyfunction!(encode_events, module)?)?;
    module.add_function(wrap_pyfunction!(read_results, module)?)?;
    module.add_function(wrap_pyfunction!(ripemd160, module)?)?;
    module.add_function(wrap_pyfunction!(fall, module)?)?;
    module.add_function(wrap_pyfunction!(kept_keys, module)?)?;
    module.add_function(wrap_pyfunction!(forget_keys, module)?)
}

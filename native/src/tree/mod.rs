//! The tree of `iavl`: the same nodes, hashes, records and proofs as its Python, which is its oracle in tests.
//!
//! Here native code does not accept or say nothing, it holds state. It may because that state is checked where
//! it leaves this code: a block's root hash by all other nodes of the chain, and whatever was on the disk by
//! its hashes. Either code opens what the other has written (docs/adr/0028).

mod arena;
mod balance;
mod check;
mod export;
mod handle;
mod hash;
mod key;
mod loader;
mod node;
mod proof;
mod read;
mod record;
mod write;

use handle::Handle;
use pyo3::prelude::*;

/// What `iavl/engine.py` asks for before it uses anything: raised when something here changes.
const VERSION: u32 = 3;

/// Gives every dirty node below `root` its size, its hash and `version`.
#[pyfunction]
#[pyo3(signature = (root, version, /))]
fn hash_dirty(py: Python<'_>, root: Option<&Bound<'_, Handle>>, version: u64) {
    if let Some(root) = root {
        hash::hash_dirty(py, &root.get().0, version);
    }
}

/// The module of this name within pyibc_native.
pub fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    let tree = PyModule::new(py, "tree")?;
    tree.add("VERSION", VERSION)?;
    tree.add_class::<Handle>()?;
    tree.add_class::<check::Checker>()?;
    tree.add_class::<export::Export>()?;
    tree.add_class::<loader::Loader>()?;
    tree.add_class::<read::Entries>()?;
    tree.add_class::<record::Unwritten>()?;
    tree.add_function(wrap_pyfunction!(handle::new_leaf, &tree)?)?;
    tree.add_function(wrap_pyfunction!(handle::new_inner, &tree)?)?;
    tree.add_function(wrap_pyfunction!(handle::strip, &tree)?)?;
    tree.add_function(wrap_pyfunction!(read::find, &tree)?)?;
    tree.add_function(wrap_pyfunction!(read::find_or_gap, &tree)?)?;
    tree.add_function(wrap_pyfunction!(read::ascend, &tree)?)?;
    tree.add_function(wrap_pyfunction!(read::descend, &tree)?)?;
    tree.add_function(wrap_pyfunction!(write::set_key, &tree)?)?;
    tree.add_function(wrap_pyfunction!(write::remove_key, &tree)?)?;
    tree.add_function(wrap_pyfunction!(write::apply_changes, &tree)?)?;
    tree.add_function(wrap_pyfunction!(hash_dirty, &tree)?)?;
    tree.add_function(wrap_pyfunction!(proof::prove, &tree)?)?;
    tree.add_function(wrap_pyfunction!(record::node_record, &tree)?)?;
    Ok(tree)
}

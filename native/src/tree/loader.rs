//! Hollow nodes: filled from the disk when they are looked into, and checked before anything of it is used.

use super::handle::Handle;
use super::hash::{inner_hash, leaf_hash};
use super::key::Key;
use super::node::{Below, Body, Ref};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where both hashes stand in an inner node's record (`iavl/disk/nodes.py`), and where its key begins.
const HASHES: usize = 50;
const KEY: usize = 116;
const CHECK: usize = 4;
/// CRC-32 of anything with its own CRC-32 behind it.
const RESIDUE: u32 = 0x2144_DF1C;

/// What a quiet function says: its answer, or a hollow node that it needs.
pub type Quiet<T> = Result<T, Ref>;

/// Makes hollow nodes of one database, and fills them.
///
/// `read` is called with a serial, and returns its record or raises; `damaged`, with a serial, returns the
/// error for a record that is not what was written.
#[pyclass(frozen, module = "pyibc_native.tree")]
pub struct Loader {
    read: Py<PyAny>,
    damaged: Py<PyAny>,
    loads: AtomicU64,
}

#[pymethods]
impl Loader {
    #[new]
    fn new(read: Py<PyAny>, damaged: Py<PyAny>) -> Self {
        Loader { read, damaged, loads: AtomicU64::new(0) }
    }

    /// How many nodes were loaded, ever.
    #[getter]
    fn loads(&self) -> u64 {
        self.loads.load(Ordering::Relaxed)
    }

    /// A hollow node.
    #[pyo3(name = "new")]
    fn hollow(slf: Py<Self>, serial: u64, version: u64, size: u64, height: u8, node_hash: [u8; 32]) -> Handle {
        Handle(Ref::new(hollow_body(slf, Known { serial, version, size, height, hash: node_hash })))
    }

    /// Turns a node that has a serial into a hollow one, which frees its subtree.
    fn empty(slf: Py<Self>, node: &Bound<'_, Handle>) {
        make_hollow(slf, &node.get().0);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.read)?;
        visit.call(&self.damaged)
    }
}

/// Runs a quiet function to its end, with what it needs loaded.
pub fn quiet<T>(py: Python<'_>, mut work: impl FnMut() -> Quiet<T>) -> PyResult<T> {
    loop {
        match work() {
            Ok(found) => return Ok(found),
            Err(hollow) => load(py, &hollow)?,
        }
    }
}

/// What `Loader.empty` does.
pub fn make_hollow(loader: Py<Loader>, node: &Ref) {
    let freed = node.change(|body| {
        let key = std::mem::replace(&mut body.key, Key::NONE);
        (key, std::mem::replace(&mut body.below, Below::Hollow(loader)))
    });
    drop(freed); // when the node is whole again
}

/// Fills a node if it is hollow; of one that was freed nobody may ask more.
pub fn load(py: Python<'_>, node: &Ref) -> PyResult<()> {
    let loader = match &node.body().below {
        Below::Hollow(loader) => loader.clone_ref(py),
        Below::Gone => return Err(PyAttributeError::new_err("a node that was freed")),
        Below::Leaf(_) | Below::Inner(..) => return Ok(()),
    };
    let serial = node.body().serial;
    let found = loader.get().read.call1(py, (serial,))?;
    let record = found.cast_bound::<PyBytes>(py).map_err(|_| PyTypeError::new_err("a record is bytes"))?;
    if !node.is_hollow() {
        return Ok(()); // another thread was faster
    }
    match checked(&loader, node.body(), record) {
        Some((key, below)) => {
            let hollow = node.change(|body| {
                body.key = key;
                std::mem::replace(&mut body.below, below)
            });
            loader.get().loads.fetch_add(1, Ordering::Relaxed);
            drop(hollow); // `loader` is held: nothing ends here
            Ok(())
        }
        None => Err(PyErr::from_value(loader.get().damaged.bind(py).call1((serial,))?)),
    }
}

/// Key and content in a record, if it is the one that was written for this node.
fn checked(loader: &Py<Loader>, body: &Body, record: &Bound<'_, PyBytes>) -> Option<(Key, Below)> {
    let raw = record.as_bytes();
    if body.height > 0 {
        checked_inner(loader, body, raw, record.py())
    } else {
        let (key, value) = split_leaf(raw);
        (leaf_hash(body.version, key, value) == body.hash)
            .then(|| (Key::new(key), Below::Leaf(PyBytes::new(record.py(), value).unbind())))
    }
}

fn checked_inner(loader: &Py<Loader>, body: &Body, raw: &[u8], py: Python<'_>) -> Option<(Key, Below)> {
    let hashes = raw.get(HASHES..KEY)?;
    if inner_hash(body.height, body.size, body.version, hashes) != body.hash {
        return None;
    }
    let mut check = crc32fast::Hasher::new_with_initial(body.serial as u32);
    check.update(raw);
    if check.finalize() != RESIDUE {
        return None;
    }
    let key = Key::new(raw.get(KEY..raw.len() - CHECK).unwrap_or_default());
    let left = known(&raw[..25], &hashes[1..33]);
    let right = known(&raw[25..50], &hashes[34..66]);
    let [left, right] = [left, right].map(|child| Ref::new(hollow_body(loader.clone_ref(py), child)));
    Some((key, Below::Inner(left, right)))
}

/// What a parent's record tells of a child.
struct Known {
    serial: u64,
    version: u64,
    size: u64,
    height: u8,
    hash: [u8; 32],
}

/// `raw`: 25 bytes; `hash`: 32.
fn known(raw: &[u8], hash: &[u8]) -> Known {
    let number = |at: usize| u64::from_be_bytes(raw[at..at + 8].try_into().expect("8 bytes"));
    Known {
        serial: number(0),
        version: number(8),
        size: number(16),
        height: raw[24],
        hash: hash.try_into().expect("32 bytes"),
    }
}

fn hollow_body(loader: Py<Loader>, known: Known) -> Body {
    let Known { serial, version, size, height, hash } = known;
    let (below, key) = (Below::Hollow(loader), Key::NONE);
    Body { below, height, is_hashed: true, key, size, version, serial, hash }
}

/// Key and value in a leaf's record, whatever it holds: their hash is looked at afterwards.
fn split_leaf(raw: &[u8]) -> (&[u8], &[u8]) {
    let (head, rest) = raw.split_at(raw.len().min(4));
    let length = head.iter().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
    rest.split_at(rest.len().min(length))
}

//! Lookup and iteration (`iavl/nodes/write.py`).

use super::handle::Handle;
use super::loader::{load, quiet, Quiet};
use super::node::{Below, Ref};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, TryLockError};

type Entry<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);
type Gap<'py> = (Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>);
type Found<'py> = (Option<Py<PyBytes>>, Gap<'py>);
type Root<'a, 'py> = Option<&'a Bound<'py, Handle>>;

/// The leaf where `key` is or would be; `pass` is told each node above it, and whether the way goes left.
pub fn descend_to<'a>(root: &'a Ref, key: &[u8], mut pass: impl FnMut(&'a Ref, bool)) -> Quiet<&'a Ref> {
    let mut node = root;
    loop {
        let body = node.body();
        match &body.below {
            Below::Inner(left, right) => {
                let is_left = *key < *body.key;
                pass(node, is_left);
                node = if is_left { left } else { right };
            }
            Below::Leaf(_) => return Ok(node),
            Below::Hollow(_) | Below::Gone => return Err(node.clone()),
        }
    }
}

/// A leaf's value, another reference to it.
pub fn value_of(leaf: &Ref, py: Python<'_>) -> Py<PyBytes> {
    match &leaf.body().below {
        Below::Leaf(value) => value.clone_ref(py),
        _ => unreachable!("the value of a node that has none"),
    }
}

/// The value of a leaf below `root`.
#[pyfunction]
#[pyo3(signature = (root, key, /))]
pub fn find(py: Python<'_>, root: Root, key: &[u8]) -> PyResult<Option<Py<PyBytes>>> {
    let Some(root) = root else { return Ok(None) };
    quiet(py, || {
        let leaf = descend_to(&root.get().0, key, |_, _| ())?;
        Ok((*leaf.body().key == *key).then(|| value_of(leaf, py)))
    })
}

/// The value at `key`, or None and the gap that `key` falls into.
#[pyfunction]
#[pyo3(signature = (root, key, /))]
pub fn find_or_gap<'py>(py: Python<'py>, root: Root<'_, 'py>, key: &[u8]) -> PyResult<Found<'py>> {
    let bytes = |raw: &[u8]| PyBytes::new(py, raw);
    let Some(root) = root else { return Ok((None, (bytes(b""), None))) };
    quiet(py, || {
        let mut above = None;
        let leaf = descend_to(&root.get().0, key, |node, is_left| {
            if is_left {
                above = Some(node);
            }
        })?;
        let there = &*leaf.body().key;
        Ok(if there == key {
            (Some(value_of(leaf, py)), (bytes(key), Some(bytes(key))))
        } else if there < key {
            (None, (bytes(there), above.map(|node| bytes(&node.body().key))))
        } else {
            (None, (bytes(b""), Some(bytes(there))))
        })
    })
}

/// Entries with `start <= key < end` in key order; `end` None is no bound.
#[pyfunction]
#[pyo3(signature = (root, start, end, /))]
pub fn ascend(root: Root, start: &[u8], end: Option<&[u8]>) -> Entries {
    Entries::new(root, start, end, false)
}

/// The entries of `ascend`, last key first.
#[pyfunction]
#[pyo3(signature = (root, start, end, /))]
pub fn descend(root: Root, start: &[u8], end: Option<&[u8]>) -> Entries {
    Entries::new(root, start, end, true)
}

/// What an iteration has before it: subtrees, the next one last, and the bounds of the keys.
struct Walk {
    stack: Vec<Ref>,
    start: Box<[u8]>,
    end: Option<Box<[u8]>>,
    is_descending: bool,
}

impl Walk {
    /// The next entry within the bounds. Where it needs a node loaded it stays where it is.
    fn next<'py>(&mut self, py: Python<'py>) -> Quiet<Option<Entry<'py>>> {
        while let Some(top) = self.stack.pop() {
            let depth = self.stack.len();
            let leaf = match self.down(&top) {
                Ok(leaf) => leaf,
                Err(hollow) => {
                    self.stack.truncate(depth);
                    self.stack.push(top);
                    return Err(hollow);
                }
            };
            let key = &*leaf.body().key;
            let (is_early, is_late) = (*key < *self.start, self.is_behind(key));
            if !is_early && !is_late {
                return Ok(Some((PyBytes::new(py, key), value_of(leaf, py).into_bound(py))));
            }
            if if self.is_descending { is_early } else { is_late } {
                self.stack.clear();
            }
        }
        Ok(None)
    }

    /// The nearest leaf below `node`; what is to come after it, of the subtrees on the way, is on the stack.
    fn down<'a>(&mut self, mut node: &'a Ref) -> Quiet<&'a Ref> {
        loop {
            let body = node.body();
            let (near, far, takes_both) = match &body.below {
                Below::Inner(left, right) if self.is_descending => (right, left, !self.is_behind(&body.key)),
                Below::Inner(left, right) => (left, right, *self.start < *body.key),
                Below::Leaf(_) => return Ok(node),
                Below::Hollow(_) | Below::Gone => return Err(node.clone()),
            };
            if takes_both {
                far.prefetch();
                self.stack.push(far.clone());
            }
            node = if takes_both { near } else { far };
        }
    }

    fn is_behind(&self, key: &[u8]) -> bool {
        self.end.as_ref().is_some_and(|end| *key >= **end)
    }
}

/// An iterator over entries, which loads nodes as it gets to them. It ends where it raises.
#[pyclass(frozen, module = "pyibc_native.tree")]
pub struct Entries(Mutex<Option<Walk>>);

impl Entries {
    fn new(root: Root, start: &[u8], end: Option<&[u8]>, is_descending: bool) -> Self {
        let stack = root.map(|root| root.get().0.clone()).into_iter().collect();
        Entries(Mutex::new(Some(Walk { stack, start: start.into(), end: end.map(Into::into), is_descending })))
    }

    /// What `work` makes of the walk; an error if it is under way.
    fn with<T>(&self, work: impl FnOnce(&mut Option<Walk>) -> PyResult<T>) -> PyResult<T> {
        match self.0.try_lock() {
            Ok(mut walk) => work(&mut walk),
            Err(TryLockError::Poisoned(walk)) => work(&mut walk.into_inner()),
            Err(TryLockError::WouldBlock) => Err(is_executing()),
        }
    }
}

/// What a generator says that is asked while it works.
pub fn is_executing() -> PyErr {
    PyValueError::new_err("iterator already executing")
}

#[pymethods]
impl Entries {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Entry<'py>>> {
        loop {
            let found = self.with(|walk| Ok(walk.as_mut().ok_or_else(is_executing)?.next(py)))?;
            let Err(hollow) = found else { return Ok(found.unwrap_or_default()) };
            // Taken out meanwhile: another thread that asks is told so, as by a generator.
            let mut walk = self.with(|walk| walk.take().ok_or_else(is_executing))?;
            let loaded = load(py, &hollow);
            if loaded.is_err() {
                walk.stack.clear();
            }
            self.with(|place| {
                *place = Some(walk);
                Ok(())
            })?;
            loaded?;
        }
    }
}

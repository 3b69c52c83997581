//! A version as bytes (`iavl/export.py` gives their form).

use super::handle::Handle;
use super::loader::{load, make_hollow, Loader};
use super::node::{Below, Ref};
use super::read::is_executing;
use crate::wire::put_varint;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

pub const LEAF: u8 = 1;
pub const INNER: u8 = 2;
pub const LOW: u8 = 3;
/// Up to here an inner node's record lacks what its children's records say as well.
pub const LOW_HEIGHT: u8 = 3;

struct Walk {
    /// What comes before the trees' records; empty once it was told.
    head: Vec<u8>,
    /// Subtrees to come, the next one last.
    stack: Vec<Ref>,
}

impl Walk {
    /// The next records, `most` at most, in a row. It calls Python where a node is on the disk alone.
    fn take(&mut self, py: Python<'_>, most: usize) -> PyResult<Vec<u8>> {
        let mut told = std::mem::take(&mut self.head);
        for _ in 0..most {
            let Some(node) = self.stack.pop() else { break };
            let loader = loader_of(py, &node);
            load(py, &node)?;
            self.tell(py, &node, &mut told);
            if let Some(loader) = loader {
                make_hollow(loader, &node); // what it was; its children are on the stack
            }
        }
        Ok(told)
    }

    /// Appends the record of a node that is in memory, and has its children come next.
    fn tell(&mut self, py: Python<'_>, node: &Ref, told: &mut Vec<u8>) {
        let body = node.body();
        match &body.below {
            Below::Leaf(value) => {
                told.push(LEAF);
                put_varint(told, body.version);
                for text in [&*body.key, value.as_bytes(py)] {
                    put_varint(told, text.len() as u64);
                    told.extend_from_slice(text);
                }
            }
            Below::Inner(left, right) => {
                if body.height <= LOW_HEIGHT {
                    told.push(LOW);
                    put_varint(told, body.version);
                } else {
                    told.push(INNER);
                    for number in [body.version, body.size, u64::from(body.height)] {
                        put_varint(told, number);
                    }
                    told.extend_from_slice(&left.body().hash);
                    told.extend_from_slice(&right.body().hash);
                }
                left.prefetch();
                self.stack.extend([right.clone(), left.clone()]);
            }
            Below::Hollow(_) | Below::Gone => unreachable!("a node that was just loaded"),
        }
    }
}

fn loader_of(py: Python<'_>, node: &Ref) -> Option<Py<Loader>> {
    match &node.body().below {
        Below::Hollow(loader) => Some(loader.clone_ref(py)),
        _ => None,
    }
}

/// The records of some trees, behind bytes that come before them. It ends where it raises.
#[pyclass(frozen, module = "pyibc_native.tree")]
pub struct Export(Mutex<Option<Walk>>);

#[pymethods]
impl Export {
    #[new]
    #[pyo3(signature = (head, roots, /))]
    fn new(head: Vec<u8>, roots: Vec<Bound<'_, Handle>>) -> Self {
        let stack = roots.iter().rev().map(|root| root.get().0.clone()).collect();
        Export(Mutex::new(Some(Walk { head, stack })))
    }

    /// The next records, `most` at most, in a row; nothing: that was all.
    #[pyo3(signature = (most, /))]
    fn take<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyBytes>> {
        // Out of its place meanwhile: another thread that asks is told so, as by a generator.
        let mut walk = self.place().take().ok_or_else(is_executing)?;
        let told = walk.take(py, most);
        if told.is_err() {
            walk.stack.clear();
        }
        *self.place() = Some(walk);
        Ok(PyBytes::new(py, &told?))
    }
}

impl Export {
    fn place(&self) -> std::sync::MutexGuard<'_, Option<Walk>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

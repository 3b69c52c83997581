//! Records of nodes (`iavl/disk/nodes.py` gives their form), and the walk of a checkpoint.

use super::handle::Handle;
use super::node::{Below, Body, Ref};
use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, PoisonError};

/// A node's key on the disk, and its record.
type Item<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// The record of a hashed node that has a serial, as have its children.
#[pyfunction]
#[pyo3(signature = (node, /))]
pub fn node_record<'py>(py: Python<'py>, node: &Bound<'py, Handle>) -> PyResult<Bound<'py, PyBytes>> {
    record(py, &node.get().0)
}

fn record<'py>(py: Python<'py>, node: &Ref) -> PyResult<Bound<'py, PyBytes>> {
    let body = node.body();
    let mut raw = Vec::with_capacity(256);
    match &body.below {
        Below::Leaf(value) => {
            let length = u32::try_from(body.key.len()).map_err(|_| PyOverflowError::new_err("a key's length"))?;
            raw.extend(length.to_be_bytes());
            raw.extend(&*body.key);
            raw.extend(value.as_bytes(py));
        }
        Below::Inner(left, right) => {
            let (left, right) = (left.body(), right.body());
            known(&mut raw, left);
            known(&mut raw, right);
            for child in [left, right] {
                raw.push(32);
                raw.extend(child.hash);
            }
            raw.extend(&*body.key);
            let mut check = crc32fast::Hasher::new_with_initial(body.serial as u32);
            check.update(&raw);
            raw.extend(check.finalize().to_le_bytes());
        }
        Below::Hollow(_) | Below::Gone => return Err(PyValueError::new_err("a record of a node that is not there")),
    }
    Ok(PyBytes::new(py, &raw))
}

fn known(raw: &mut Vec<u8>, child: &Body) {
    for number in [child.serial, child.version, child.size] {
        raw.extend(number.to_be_bytes());
    }
    raw.push(child.height);
}

/// The nodes below some roots that have no serial yet, children first.
#[pyclass(frozen, module = "pyibc_native.tree")]
pub struct Unwritten(Mutex<Walk>);

struct Walk {
    /// What is to be written, the next one last.
    stack: Vec<Ref>,
    next_serial: u64,
}

impl Walk {
    /// The next node, with a serial; a node without one is in memory, and all above it too.
    fn next(&mut self) -> Option<Ref> {
        loop {
            let node = self.stack.last()?;
            if node.body().serial != 0 {
                self.stack.pop(); // a root that was written before
                continue;
            }
            let child = match &node.body().below {
                Below::Inner(left, _) if left.body().serial == 0 => Some(left.clone()),
                Below::Inner(_, right) if right.body().serial == 0 => Some(right.clone()),
                _ => None,
            };
            match child {
                Some(child) => self.stack.push(child),
                None => break,
            }
        }
        let node = self.stack.pop()?;
        let serial = self.next_serial;
        node.change(|body| body.serial = serial);
        self.next_serial += 1;
        Some(node)
    }
}

#[pymethods]
impl Unwritten {
    #[new]
    fn new(roots: Vec<Bound<'_, Handle>>, next_serial: u64) -> Self {
        let stack = roots.iter().rev().map(|root| root.get().0.clone()).collect();
        Unwritten(Mutex::new(Walk { stack, next_serial }))
    }

    /// Gives the next nodes, `most` at most, their serials; returns their keys and records.
    #[pyo3(signature = (most, /))]
    fn take<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Vec<Item<'py>>> {
        let mut walk = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut items = Vec::with_capacity(most.min(1 << 16));
        while items.len() < most {
            let Some(node) = walk.next() else { break };
            items.push((PyBytes::new(py, &node.body().serial.to_be_bytes()), record(py, &node)?));
        }
        Ok(items)
    }

    /// The first serial that no node has.
    #[getter]
    fn next_serial(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next_serial
    }
}

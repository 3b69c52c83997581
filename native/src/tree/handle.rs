//! A node as Python sees it: the attributes of `iavl.nodes.node.Node`.

use super::key::Key;
use super::loader::{load, Loader};
use super::node::{Below, Node, Ref};
use super::read::value_of;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// A reference to a node: two of the same node are equal. A field that a kind of node lacks is no attribute.
#[pyclass(frozen, name = "Node", module = "pyibc_native.tree")]
pub struct Handle(pub Ref);

impl Handle {
    /// The node with its content.
    fn full(&self, py: Python<'_>) -> PyResult<&Node> {
        while self.0.is_hollow() {
            load(py, &self.0)?;
        }
        Ok(&self.0)
    }

    fn child(&self, py: Python<'_>, name: &str, is_left: bool) -> PyResult<Self> {
        match &self.full(py)?.body().below {
            Below::Inner(left, right) => Ok(Handle(if is_left { left } else { right }.clone())),
            _ => Err(lacks(name)),
        }
    }

    fn hashed<T>(&self, name: &str, found: T) -> PyResult<T> {
        if self.0.body().is_hashed {
            Ok(found)
        } else {
            Err(lacks(name))
        }
    }
}

fn lacks(name: &str) -> PyErr {
    PyAttributeError::new_err(name.to_owned())
}

#[pymethods]
impl Handle {
    #[getter]
    fn key<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.full(py)?.body().key))
    }

    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyBytes>> {
        match self.full(py)?.body().below {
            Below::Leaf(_) => Ok(value_of(&self.0, py)),
            _ => Err(lacks("value")),
        }
    }

    #[getter]
    fn left(&self, py: Python<'_>) -> PyResult<Self> {
        self.child(py, "left", true)
    }

    #[getter]
    fn right(&self, py: Python<'_>) -> PyResult<Self> {
        self.child(py, "right", false)
    }

    #[getter]
    fn height(&self) -> u8 {
        self.0.height()
    }

    #[getter]
    fn size(&self) -> PyResult<u64> {
        let body = self.0.body();
        if body.height == 0 {
            return Ok(body.size);
        }
        self.hashed("size", body.size)
    }

    #[getter]
    fn version(&self) -> PyResult<u64> {
        self.hashed("version", self.0.body().version)
    }

    #[getter]
    fn serial(&self) -> PyResult<u64> {
        self.hashed("serial", self.0.body().serial)
    }

    #[setter]
    fn set_serial(&self, serial: u64) {
        self.0.change(|body| body.serial = serial);
    }

    /// SHA-256 of the node, empty while it is dirty.
    #[getter]
    fn hash<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let body = self.0.body();
        PyBytes::new(py, if body.is_hashed { &body.hash } else { b"" })
    }

    /// Who loads it: None of a node whose content is in memory.
    #[getter]
    fn loader(&self, py: Python<'_>) -> Option<Py<Loader>> {
        match &self.0.body().below {
            Below::Hollow(loader) => Some(loader.clone_ref(py)),
            _ => None,
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Handle>().is_ok_and(|other| self.0.is(&other.get().0))
    }

    fn __hash__(&self) -> usize {
        self.0.address() >> 7 // slots of 128 bytes
    }
}

/// A dirty leaf.
#[pyfunction]
#[pyo3(signature = (key, value, /))]
pub fn new_leaf(key: &[u8], value: Py<PyBytes>) -> Handle {
    Handle(Node::leaf(Key::new(key), value))
}

/// A dirty inner node over two nodes; `key`: the smallest of the right subtree.
#[pyfunction]
#[pyo3(signature = (key, left, right, /))]
pub fn new_inner(key: &[u8], left: &Bound<'_, Handle>, right: &Bound<'_, Handle>) -> Handle {
    Handle(Node::inner(Key::new(key), left.get().0.clone(), right.get().0.clone()))
}

/// Frees a hashed node's value or children: its hash is all that is left to ask for.
#[pyfunction]
#[pyo3(signature = (node, /))]
pub fn strip(node: &Bound<'_, Handle>) {
    drop(node.get().0.change(|body| std::mem::replace(&mut body.below, Below::Gone)));
}

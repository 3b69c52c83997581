//! Set and remove on a copy-on-write tree (`iavl/nodes/write.py`), as deep as the tree is high.
//!
//! Each write looks first whether all that it will touch is loaded, without changing anything. So a node that
//! cannot be loaded leaves the tree as it was, and what changes nodes does nothing that can fail.

use super::balance::{balanced, height_without};
use super::handle::Handle;
use super::key::Key;
use super::loader::quiet;
use super::node::{Below, Node, Ref};
use super::read::descend_to;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

type Orphans<'a, 'py> = &'a Bound<'py, PyList>;
type Root<'a, 'py> = Option<&'a Bound<'py, Handle>>;
type Value<'py> = Bound<'py, PyBytes>;

/// Writes `value` at `key`. The same value again is a write too: a new leaf, of the new version.
#[pyfunction]
#[pyo3(signature = (root, key, value, orphans, /))]
pub fn set_key(py: Python<'_>, root: Root, key: &[u8], value: Value, orphans: Orphans) -> PyResult<Handle> {
    writing(root, orphans, |top, noted| set(py, top, key, value, noted)).map(Handle)
}

/// Removes `key`; the second result tells whether it was there. Nothing changes if it was not.
#[pyfunction]
#[pyo3(signature = (root, key, orphans, /))]
pub fn remove_key(py: Python<'_>, root: Root, key: &[u8], orphans: Orphans) -> PyResult<(Option<Handle>, bool)> {
    let (top, removed) = writing(root, orphans, |top, noted| remove(py, top, key, noted))?;
    Ok((top.map(Handle), removed))
}

/// Applies writes in the order given; removing an absent key does nothing.
#[pyfunction]
#[pyo3(signature = (root, changes, orphans, /))]
pub fn apply_changes(
    py: Python<'_>,
    root: Root,
    changes: &Bound<'_, PyAny>,
    orphans: Orphans,
) -> PyResult<Option<Handle>> {
    let changes: Vec<(Value, Option<Value>)> =
        changes.try_iter()?.map(|each| each?.extract()).collect::<PyResult<_>>()?;
    let top = writing(root, orphans, |mut top, noted| {
        for (key, value) in changes {
            top = match value {
                Some(value) => Some(set(py, top, key.as_bytes(), value, noted)?),
                None => remove(py, top, key.as_bytes(), noted)?.0,
            };
        }
        Ok(top)
    })?;
    Ok(top.map(Handle))
}

/// A write, or several, from `root` on. The nodes that it replaced are noted in `orphans`, if it does not fail.
fn writing<T>(
    root: Root,
    orphans: Orphans,
    work: impl FnOnce(Option<Ref>, &mut Vec<Ref>) -> PyResult<T>,
) -> PyResult<T> {
    let mut noted = Vec::new();
    let found = work(root.map(|root| root.get().0.clone()), &mut noted)?;
    for node in noted {
        orphans.append(Handle(node))?;
    }
    Ok(found)
}

fn set(py: Python<'_>, root: Option<Ref>, key: &[u8], value: Value, orphans: &mut Vec<Ref>) -> PyResult<Ref> {
    let leaf = Node::leaf(Key::new(key), value.unbind());
    let Some(root) = root else { return Ok(leaf) };
    quiet(py, || descend_to(&root, key, |_, _| ()).map(|_| ()))?;
    Ok(with_leaf(&root, leaf, orphans))
}

/// `node`, or what stands for it, with `leaf` below it. All nodes on the way are there.
fn with_leaf(node: &Ref, leaf: Ref, orphans: &mut Vec<Ref>) -> Ref {
    if node.height() == 0 {
        return beside(node, leaf, orphans);
    }
    let copy = dirty_copy(node, orphans);
    let is_left = *leaf.body().key < *copy.body().key;
    let (left, right) = copy.children();
    let child = with_leaf(if is_left { left } else { right }, leaf, orphans);
    copy.replace(is_left, child);
    balanced(copy, orphans)
}

/// `leaf` in the place of one with its key, else an inner node over both.
fn beside(old: &Ref, leaf: Ref, orphans: &mut Vec<Ref>) -> Ref {
    if *leaf.body().key < *old.body().key {
        return Node::inner(old.body().key.clone(), leaf, old.clone());
    }
    if *leaf.body().key > *old.body().key {
        return Node::inner(leaf.body().key.clone(), old.clone(), leaf);
    }
    if old.body().is_hashed {
        orphans.push(old.clone());
    }
    leaf
}

/// `node` itself when dirty, else a dirty copy; the copied inner node is noted as an orphan.
pub fn dirty_copy(node: &Ref, orphans: &mut Vec<Ref>) -> Ref {
    let body = node.body();
    if !body.is_hashed {
        return node.clone();
    }
    orphans.push(node.clone());
    let (left, right) = node.children();
    Node::dirty(body.key.clone(), Below::Inner(left.clone(), right.clone()), body.height)
}

fn remove(py: Python<'_>, root: Option<Ref>, key: &[u8], orphans: &mut Vec<Ref>) -> PyResult<(Option<Ref>, bool)> {
    let Some(root) = root else { return Ok((None, false)) };
    match quiet(py, || height_without(&root, key))? {
        None => Ok((Some(root), false)),
        Some(_) => Ok((without(&root, key, orphans).map(|rest| rest.top), true)),
    }
}

/// What is left of a subtree, and the key for the first node above that has it on its right.
struct Rest {
    top: Ref,
    key: Option<Key>,
}

/// `node`, or what stands for it, without the leaf of `key`, which is below it; None: it was that leaf.
///
/// Where a left child goes the right one moves up, and its smallest key is then that of a right subtree above.
fn without(node: &Ref, key: &[u8], orphans: &mut Vec<Ref>) -> Option<Rest> {
    let body = node.body();
    if body.height == 0 {
        note(node, orphans);
        return None;
    }
    let is_left = *key < *body.key;
    let (left, right) = node.children();
    let Some(rest) = without(if is_left { left } else { right }, key, orphans) else {
        note(node, orphans);
        return Some(if is_left {
            Rest { top: right.clone(), key: Some(body.key.clone()) }
        } else {
            Rest { top: left.clone(), key: None }
        });
    };
    let (copy, mut key) = (dirty_copy(node, orphans), rest.key);
    copy.replace(is_left, rest.top);
    if !is_left {
        if let Some(key) = key.take() {
            drop(copy.change(|body| std::mem::replace(&mut body.key, key)));
        }
    }
    Some(Rest { top: balanced(copy, orphans), key })
}

fn note(node: &Ref, orphans: &mut Vec<Ref>) {
    if node.body().is_hashed {
        orphans.push(node.clone());
    }
}

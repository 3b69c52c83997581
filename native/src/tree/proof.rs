//! ICS-23 proofs of a tree (`iavl/nodes/proof.py` gives the messages), as protobuf bytes.

use super::handle::Handle;
use super::hash::{head, Row, HASH_LENGTH};
use super::loader::{quiet, Quiet};
use super::node::{Below, Ref};
use super::read::{descend_to, value_of};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

const OP: u8 = 0x22;
/// Hash SHA256, then the prefix.
const SHA256: [u8; 3] = [0x08, 0x01, 0x12];
/// Hash and prehash_value SHA256, length VAR_PROTO, then the prefix.
const LEAF_OP: [u8; 7] = [0x08, 0x01, 0x18, 0x01, 0x20, 0x01, 0x2A];

/// A node on the way from the root, and whether the way goes left there.
type Step<'a> = (&'a Ref, bool);

/// The value at `key` (None: absent) of a hashed tree, and the CommitmentProof of that.
#[pyfunction]
#[pyo3(signature = (root, key, /))]
pub fn prove<'py>(
    py: Python<'py>,
    root: &Bound<'py, Handle>,
    key: &[u8],
) -> PyResult<(Option<Py<PyBytes>>, Bound<'py, PyBytes>)> {
    let (value, proof) = quiet(py, || proved(py, &root.get().0, key))?;
    Ok((value, PyBytes::new(py, &proof)))
}

fn proved(py: Python<'_>, root: &Ref, key: &[u8]) -> Quiet<(Option<Py<PyBytes>>, Vec<u8>)> {
    let mut path = Vec::new();
    let leaf = descend_to(root, key, |node, is_left| path.push((node, is_left)))?;
    let here = existence(py, &path, leaf);
    let there = &*leaf.body().key;
    let mut proof = Vec::new();
    if there == key {
        field(&mut proof, 1, &here);
        return Ok((Some(value_of(leaf, py)), proof));
    }
    let (left, right) = if there < key {
        (Some(here), neighbour(py, &path, false)?)
    } else {
        (neighbour(py, &path, true)?, Some(here))
    };
    let mut absence = Vec::new();
    field(&mut absence, 1, key);
    for (number, each) in [(2, left), (3, right)] {
        if let Some(each) = each {
            field(&mut absence, number, &each);
        }
    }
    field(&mut proof, 2, &absence);
    Ok((None, proof))
}

/// The proof of the leaf before the one at the end of `path`, or behind it; None if there is none.
fn neighbour<'a>(py: Python<'_>, path: &[Step<'a>], before: bool) -> Quiet<Option<Vec<u8>>> {
    let Some(fork) = path.iter().rposition(|(_, is_left)| *is_left != before) else { return Ok(None) };
    let mut steps: Vec<Step<'a>> = path[..=fork].to_vec();
    let (top, was_left) = &mut steps[fork];
    *was_left = !*was_left;
    let (left, right) = top.children();
    let mut node: &'a Ref = if before { left } else { right };
    loop {
        match &node.body().below {
            Below::Inner(left, right) => {
                steps.push((node, !before));
                node = if before { right } else { left };
            }
            Below::Leaf(_) => return Ok(Some(existence(py, &steps, node))),
            Below::Hollow(_) | Below::Gone => return Err(node.clone()),
        }
    }
}

/// The `ExistenceProof` of `leaf`, with `path` from the root to its parent.
fn existence(py: Python<'_>, path: &[Step], leaf: &Ref) -> Vec<u8> {
    let (body, value) = (leaf.body(), value_of(leaf, py));
    let prefix = head(0, 1, body.version);
    let mut leaf_op = Row::<40>::new();
    leaf_op.push(&LEAF_OP).uvarint(prefix.all().len() as u128).push(prefix.all());
    let mut proof = Vec::with_capacity(path.len() * 90 + 200);
    field(&mut proof, 1, &body.key);
    if !value.as_bytes(py).is_empty() {
        field(&mut proof, 2, value.as_bytes(py));
    }
    field(&mut proof, 3, leaf_op.all());
    for (node, is_left) in path.iter().rev() {
        inner_op(&mut proof, node, *is_left);
    }
    proof
}

/// How the hash of a child becomes that of `node`: the sibling of a left child is the suffix, that of a right
/// child ends the prefix. All lengths fit one byte: a head has at most 22.
fn inner_op(proof: &mut Vec<u8>, node: &Ref, is_left: bool) {
    let body = node.body();
    let (left, right) = node.children();
    let start = head(body.height, body.size, body.version);
    let length = start.all().len() as u8 + 1; // with that of a hash's length
    if is_left {
        proof.extend([OP, length + 39]);
        proof.extend(SHA256);
        proof.push(length);
        proof.extend(start.all());
        proof.extend([HASH_LENGTH, 0x1A, 0x21, HASH_LENGTH]);
        proof.extend(right.body().hash);
    } else {
        proof.extend([OP, length + 37]);
        proof.extend(SHA256);
        proof.push(length + 33);
        proof.extend(start.all());
        proof.push(HASH_LENGTH);
        proof.extend(left.body().hash);
        proof.push(HASH_LENGTH);
    }
}

/// A length-delimited protobuf field (`number` below 16).
fn field(message: &mut Vec<u8>, number: u8, content: &[u8]) {
    let mut start = Row::<11>::new();
    start.push(&[number << 3 | 2]).uvarint(content.len() as u128);
    message.extend(start.all());
    message.extend(content);
}

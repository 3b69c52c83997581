//! ICS-23: an IAVL store below a multistore, in canonical bytes, as `pyibc/core/proofs/fast.py` knows them.
//!
//! Every step is looked at as that module does; nothing is remembered between proofs.

use crate::merkle::{sha256, Hash};
use crate::wire::put_varint;

const MAX_DEPTH: usize = 128;
const LEAF_OP: [u8; 7] = [8, 1, 0x18, 1, 0x20, 1, 0x2a]; // SHA-256, value prehashed, lengths, the prefix
const SIMPLE_LEAF: [u8; 11] = [0x1a, 9, 8, 1, 0x18, 1, 0x20, 1, 0x2a, 1, 0];
const SIMPLE_LEFT: [u8; 9] = [0x22, 0x27, 8, 1, 0x12, 1, 1, 0x1a, 0x20]; // prefix 01, a suffix of 32
const SIMPLE_RIGHT: [u8; 6] = [0x22, 0x25, 8, 1, 0x12, 0x21]; // a prefix of 33, of which the first is 01
const LONGEST_LEAF: usize = 11;
const LONGEST_HEADER: usize = 12;

/// What a path must lead to.
struct Goal<'a> {
    root: &'a [u8],
    store: &'a [u8],
    top: &'a [u8],
}

pub fn shows(root: &[u8], store: &[u8], key: &[u8], value: &[u8], proof: &[u8]) -> Option<()> {
    if root.is_empty() || store.is_empty() || key.is_empty() || value.is_empty() {
        return None;
    }
    let (at, end) = frame(proof, 0, 0x0a)?;
    let (at, inner_end) = frame(proof, at, 0x0a)?;
    let named = entry(key, value);
    let behind = at + named.len();
    if end != inner_end || proof.get(at..behind)? != named {
        return None;
    }
    let (at, node) = leaf(proof, behind, key, value)?;
    climb(proof, at, end, node, 0, &Goal { root, store, top: proof.get(end..)? })
}

/// A neighbour's path up to and including the step at which the two paths meet.
struct Side<'a> {
    key: &'a [u8],
    at: usize,
    node: Hash,
    layer: usize,
}

/// A proof that names another key, which no prover writes, is left to the reference, which does not read it.
pub fn shows_absence(root: &[u8], store: &[u8], key: &[u8], proof: &[u8]) -> Option<()> {
    if root.is_empty() || store.is_empty() || key.is_empty() {
        return None;
    }
    let (at, end) = frame(proof, 0, 0x0a)?;
    let (at, inner_end) = frame(proof, at, 0x12)?;
    let (named, named_end) = frame(proof, at, 0x0a)?;
    let (left_at, left_end) = frame(proof, named_end, 0x12)?;
    let (right_at, right_end) = frame(proof, left_end, 0x1a)?;
    if proof.get(named..named_end)? != key || end != inner_end || end != right_end {
        return None;
    }
    let left = side(proof, left_at, left_end, true)?;
    let right = side(proof, right_at, right_end, false)?;
    if !(left.key < key && key < right.key) || left.node != right.node {
        return None;
    }
    if proof.get(left.at..left_end)? != proof.get(right.at..right_end)? {
        return None;
    }
    let layer = left.layer.max(right.layer);
    climb(proof, left.at, left_end, left.node, layer, &Goal { root, store, top: proof.get(end..)? })
}

fn side(proof: &[u8], at: usize, end: usize, meets_as_left: bool) -> Option<Side<'_>> {
    let (key_at, key_end) = frame(proof, at, 0x0a)?;
    let (value_at, value_end) = frame(proof, key_end, 0x12)?;
    if key_at == key_end || value_at == value_end || *proof.get(value_end)? != 0x1a {
        return None;
    }
    let key = proof.get(key_at..key_end)?;
    let (mut at, mut node) = leaf(proof, value_end + 1, key, proof.get(value_at..value_end)?)?;
    let mut layer = 0;
    while at < end {
        layer += 1;
        let taken = step(proof, at, &node, layer)?;
        (at, node) = (taken.0, taken.1);
        if taken.2 == meets_as_left {
            return Some(Side { key, at, node, layer });
        }
    }
    None
}

/// Start and end of the field `tag` at `at`, of fewer than 2^14 bytes.
fn frame(proof: &[u8], at: usize, tag: u8) -> Option<(usize, usize)> {
    if *proof.get(at)? != tag {
        return None;
    }
    let low = usize::from(*proof.get(at + 1)?);
    if low < 0x80 {
        return Some((at + 2, at + 2 + low));
    }
    let high = usize::from(*proof.get(at + 2)?);
    if high >= 0x80 {
        return None;
    }
    Some((at + 3, at + 3 + low - 0x80 + (high << 7)))
}

/// Key and value of an existence proof, and the tag of its leaf.
fn entry(key: &[u8], value: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(key.len() + value.len() + 12);
    for (tag, field) in [(0x0a, key), (0x12, value)] {
        out.push(tag);
        put_varint(&mut out, field.len() as u64);
        out.extend_from_slice(field);
    }
    out.push(0x1a);
    out
}

/// The position after the leaf operation whose length is at `at`, and the leaf's hash.
fn leaf(proof: &[u8], at: usize, key: &[u8], value: &[u8]) -> Option<(usize, Hash)> {
    let (size, prefix_size) = (usize::from(*proof.get(at)?), usize::from(*proof.get(at + 8)?));
    if proof.get(at + 1..at + 8)? != LEAF_OP || size != prefix_size + 8 || prefix_size > LONGEST_LEAF {
        return None;
    }
    let prefix = proof.get(at + 9..at + 9 + prefix_size)?;
    if prefix.get(..2)? != [0, 2] || even_varint(prefix, 2)? != prefix.len() {
        return None;
    }
    let mut length = Vec::with_capacity(5);
    put_varint(&mut length, key.len() as u64);
    let hash = sha256(&[prefix, &length, key, &[0x20], &sha256(&[value])]);
    Some((at + 9 + prefix_size, hash))
}

/// Where a zigzag varint ends that is not negative, at least one byte.
fn even_varint(data: &[u8], start: usize) -> Option<usize> {
    let rest = data.get(start..)?;
    if rest.first()? & 1 == 1 {
        return None;
    }
    Some(start + rest.iter().position(|byte| *byte < 0x80)? + 1)
}

/// The position after one IAVL step, the parent's hash, and whether `node` is its left child.
///
/// `layer`: of the parent, at least as much as its height must be.
fn step(proof: &[u8], at: usize, node: &Hash, layer: usize) -> Option<(usize, Hash, bool)> {
    let (size, prefix_size) = (usize::from(*proof.get(at + 1)?), usize::from(*proof.get(at + 5)?));
    if *proof.get(at)? != 0x22 || proof.get(at + 2..at + 5)? != [8, 1, 0x12] {
        return None;
    }
    let start = at + 6;
    let stop = start + prefix_size;
    let prefix = proof.get(start..stop)?;
    let is_left = size == prefix_size + 39;
    let (behind, suffix): (usize, &[u8]) = if is_left {
        if proof.get(stop..stop + 2)? != [0x1a, 0x21] {
            return None;
        }
        (1, proof.get(stop + 2..stop + 35)?)
    } else if size == prefix_size + 4 {
        (34, &[])
    } else {
        return None;
    };
    let header = prefix.get(..prefix.len().checked_sub(behind)?)?;
    let height = *header.first()?;
    if header.len() >= LONGEST_HEADER || height == 0 || height & 1 == 1 || height >= 0x80 {
        return None;
    }
    if even_varint(header, even_varint(header, 1)?)? != header.len() || usize::from(height >> 1) < layer {
        return None;
    }
    Some((at + 2 + size, sha256(&[prefix, node, suffix]), is_left))
}

/// The steps in `at..end` lead from `node`, `layer` steps above its leaf, to the goal.
fn climb(proof: &[u8], mut at: usize, end: usize, mut node: Hash, mut layer: usize, goal: &Goal) -> Option<()> {
    while at < end {
        layer += 1;
        (at, node, _) = step(proof, at, &node, layer)?;
    }
    if at != end || layer > MAX_DEPTH {
        return None;
    }
    shows_store(&node, goal)
}

/// The multistore's proof shows `subroot` under the goal's store name.
fn shows_store(subroot: &Hash, goal: &Goal) -> Option<()> {
    let proof = goal.top;
    let (at, end) = frame(proof, 0, 0x0a)?;
    let (at, inner_end) = frame(proof, at, 0x0a)?;
    let mut named = entry(goal.store, subroot);
    named.pop(); // the leaf's tag, which SIMPLE_LEAF has
    named.extend_from_slice(&SIMPLE_LEAF);
    let behind = at + named.len();
    if end != inner_end || end != proof.len() || proof.get(at..behind)? != named {
        return None;
    }
    let mut length = Vec::with_capacity(5);
    put_varint(&mut length, goal.store.len() as u64);
    let leaf = sha256(&[&[0], &length, goal.store, &[0x20], &sha256(&[subroot])]);
    (climb_simple(proof, behind, leaf)? == goal.root).then_some(())
}

/// The root that the simple Merkle tree's steps from `at` lead to.
fn climb_simple(proof: &[u8], mut at: usize, mut node: Hash) -> Option<Hash> {
    for _ in 0..=MAX_DEPTH {
        let rest = proof.get(at..)?;
        if rest.is_empty() {
            return Some(node);
        }
        if rest.starts_with(&SIMPLE_RIGHT) && *rest.get(6)? == 1 {
            node = sha256(&[rest.get(6..39)?, &node]);
            at += 39;
        } else if rest.starts_with(&SIMPLE_LEFT) {
            node = sha256(&[&[1], &node, rest.get(9..41)?]);
            at += 41;
        } else {
            return None;
        }
    }
    None
}

//! Hashes as cosmos/iavl computes them (`iavl/nodes/node.py` gives the preimages).

use super::node::{Below, Node};
use pyo3::Python;
use sha2::{Digest, Sha256};

pub const HASH_LENGTH: u8 = 32;
/// A hash with its length before it, twice.
pub const HASHES: usize = 66;

/// Bytes of at most `N`, in a row.
pub struct Row<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Row<N> {
    pub fn new() -> Self {
        Row { bytes: [0; N], length: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
        self
    }

    pub fn uvarint(&mut self, number: u128) -> &mut Self {
        let mut rest = number;
        while rest > 0x7F {
            self.push(&[rest as u8 | 0x80]);
            rest >>= 7;
        }
        self.push(&[rest as u8])
    }

    /// A signed (zig-zag) varint.
    pub fn varint(&mut self, number: u64) -> &mut Self {
        self.uvarint(u128::from(number) << 1)
    }

    pub fn all(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Height, size and version, as they begin every preimage.
pub fn head(height: u8, size: u64, version: u64) -> Row<22> {
    let mut row = Row::new();
    row.varint(u64::from(height)).varint(size).varint(version);
    row
}

/// `hashes`: of both children, with their lengths.
pub fn inner_hash(height: u8, size: u64, version: u64, hashes: &[u8]) -> [u8; 32] {
    let mut preimage = Row::<{ 22 + HASHES }>::new();
    preimage.push(head(height, size, version).all()).push(hashes);
    Sha256::digest(preimage.all()).into()
}

pub fn leaf_hash(version: u64, key: &[u8], value: &[u8]) -> [u8; 32] {
    let mut length = Row::<10>::new();
    length.uvarint(key.len() as u128);
    let content: [u8; 32] = Sha256::digest(value).into();
    let mut hash = Sha256::new();
    hash.update(head(0, 1, version).all());
    hash.update(length.all());
    hash.update(key);
    hash.update([HASH_LENGTH]);
    hash.update(content);
    hash.finalize().into()
}

/// Gives every dirty node from `node` down its size, its hash and `version`. As deep as the tree is high.
pub fn hash_dirty(py: Python<'_>, node: &Node, version: u64) {
    let body = node.body();
    if body.is_hashed {
        return;
    }
    let (size, hash) = match &body.below {
        Below::Inner(left, right) => {
            hash_dirty(py, left, version);
            hash_dirty(py, right, version);
            let (left, right) = (left.body(), right.body());
            let size = left.size.wrapping_add(right.size);
            (size, inner_hash(body.height, size, version, &pair(&left.hash, &right.hash)))
        }
        Below::Leaf(value) => (1, leaf_hash(version, &body.key, value.as_bytes(py))),
        Below::Hollow(_) | Below::Gone => unreachable!("a dirty node without content"),
    };
    node.change(|body| {
        (body.size, body.hash, body.version, body.serial) = (size, hash, version, 0);
        body.is_hashed = true;
    });
}

/// Two hashes with their lengths before them, as they stand in an inner node's preimage.
pub fn pair(left: &[u8; 32], right: &[u8; 32]) -> [u8; HASHES] {
    let mut hashes = [HASH_LENGTH; HASHES];
    hashes[1..33].copy_from_slice(left);
    hashes[34..].copy_from_slice(right);
    hashes
}

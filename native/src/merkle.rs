//! The Merkle tree of CometBFT's hashes (RFC 6962).

use sha2::{Digest, Sha256};

pub type Hash = [u8; 32];

pub fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize().into()
}

/// The hash of a leaf.
pub fn leaf(data: &[u8]) -> Hash {
    sha256(&[&[0], data])
}

/// The root over leaves whose hashes are known: pairs are joined level by level, an odd one moves up.
pub fn root(mut level: Vec<Hash>) -> Hash {
    if level.is_empty() {
        return sha256(&[]);
    }
    while level.len() > 1 {
        level = level
            .chunks(2)
            .map(|pair| match pair {
                [left, right] => sha256(&[&[1], left, right]),
                _ => pair[0],
            })
            .collect();
    }
    level[0]
}

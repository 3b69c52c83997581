//! Ed25519 by ZIP-215, many signatures at once.
//!
//! A batch holds where the sum of its equations, each times a coefficient of its own, is of small order. The
//! coefficients are a hash of the whole batch: the same batch has the same verdict everywhere, and who looks
//! for wrong signatures whose errors cancel out must guess 128 bits at each try.

use crate::merkle::Hash;
use curve25519_dalek::constants::ED25519_BASEPOINT_POINT;
use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
use curve25519_dalek::scalar::Scalar;
use curve25519_dalek::traits::{IsIdentity, VartimeMultiscalarMul};
use sha2::{Digest, Sha512};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

const MOST_KEPT: usize = 4096;
const DOMAIN: &[u8] = b"pyibc-native: coefficients of a batch, 1";

/// Keys of signatures that verified, decompressed. What is in it changes no verdict, only its cost.
static KEPT: Mutex<BTreeMap<Hash, EdwardsPoint>> = Mutex::new(BTreeMap::new());

fn keys() -> MutexGuard<'static, BTreeMap<Hash, EdwardsPoint>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

pub fn kept() -> usize {
    keys().len()
}

pub fn forget() {
    keys().clear();
}

fn keep(used: &[(Hash, EdwardsPoint)]) {
    let mut kept = keys();
    if kept.len() + used.len() > MOST_KEPT {
        kept.clear();
    }
    kept.extend(used.iter().take(MOST_KEPT).copied());
}

/// One signature's part of the equation: [s]B = R + [k]A.
struct Part {
    s: Scalar,
    commitment: EdwardsPoint,
    challenge: Scalar,
}

/// Whether all signatures verify; an empty batch does not count as one.
pub fn all_verify<'a>(votes: impl Iterator<Item = (&'a [u8], &'a [u8], &'a [u8])>) -> bool {
    verify(votes).unwrap_or(false)
}

fn verify<'a>(votes: impl Iterator<Item = (&'a [u8], &'a [u8], &'a [u8])>) -> Option<bool> {
    let (mut parts, mut used) = (Vec::new(), Vec::new());
    let mut transcript = Sha512::new_with_prefix(DOMAIN);
    for (public_key, message, signature) in votes {
        let key: Hash = public_key.try_into().ok()?;
        let (r, s) = signature.split_at_checked(32)?;
        let s: Hash = s.try_into().ok()?;
        let known = keys().get(&key).copied();
        let point = known.or_else(|| CompressedEdwardsY(key).decompress())?;
        let hash: [u8; 64] = Sha512::new_with_prefix(r).chain_update(key).chain_update(message).finalize().into();
        transcript.update(hash); // stands for commitment, key and message
        transcript.update(s);
        parts.push(Part {
            s: Option::from(Scalar::from_canonical_bytes(s))?,
            commitment: CompressedEdwardsY(r.try_into().ok()?).decompress()?,
            challenge: Scalar::from_bytes_mod_order_wide(&hash),
        });
        used.push((key, point));
    }
    if parts.is_empty() || !holds(&parts, &used, &transcript.finalize().into()) {
        return Some(false);
    }
    keep(&used);
    Some(true)
}

fn holds(parts: &[Part], used: &[(Hash, EdwardsPoint)], seed: &[u8; 64]) -> bool {
    let weights = coefficients(seed, parts.len());
    let weighed = || parts.iter().zip(&weights);
    let base: Scalar = weighed().map(|(part, weight)| part.s * weight).sum();
    let of_keys = weighed().map(|(part, weight)| part.challenge * weight);
    let scalars = std::iter::once(-base).chain(weights.iter().copied()).chain(of_keys);
    let points = std::iter::once(ED25519_BASEPOINT_POINT)
        .chain(parts.iter().map(|part| part.commitment))
        .chain(used.iter().map(|(_, point)| *point));
    EdwardsPoint::vartime_multiscalar_mul(scalars, points).mul_by_cofactor().is_identity()
}

/// Numbers of 128 bits, four of each hash of the seed and a counter.
fn coefficients(seed: &[u8; 64], count: usize) -> Vec<Scalar> {
    let mut found = Vec::with_capacity(count + 3);
    for counter in 0..count.div_ceil(4) as u64 {
        let hash = Sha512::new_with_prefix(seed).chain_update(counter.to_le_bytes()).finalize();
        for part in hash.chunks_exact(16) {
            let mut bytes = [0; 32];
            bytes[..16].copy_from_slice(part);
            found.push(Scalar::from_bytes_mod_order(bytes));
        }
    }
    found.truncate(count);
    found
}

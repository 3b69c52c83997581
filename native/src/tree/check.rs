//! Whether an export (`iavl/export.py` gives its form) is the version that an app hash stands for, keeping nothing
//! of it. As elsewhere outside of the tree it accepts or says nothing: Python's importer names what is wrong.

use super::export::{INNER, LEAF, LOW, LOW_HEIGHT};
use super::hash::{inner_hash, leaf_hash, pair, HASH_LENGTH};
use crate::guarded;
use crate::merkle::{self, Hash};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use std::sync::{Mutex, PoisonError};

const HEAD: u8 = 0;
const TALLEST: u64 = 90;
const MAX_TEXT: u64 = 1 << 24;
const LONGEST_VARINT: usize = 10;
/// The root hash of a store without entries: SHA-256 of nothing.
const EMPTY: Hash = [
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27, 0xae, 0x41,
    0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
];

/// Why no further record is read.
enum Stop {
    /// The rest of it is in the next chunk.
    Cut,
    /// It is not the one that the hashes before it name.
    Refused,
}

type Read<T> = Result<T, Stop>;

/// A node that is whole.
struct Whole {
    height: u8,
    size: u64,
    hash: Hash,
}

/// An inner node whose children are being read.
struct Above {
    version: u64,
    /// Of the children; None where they are not told.
    hashes: Option<[Hash; 2]>,
    /// How many low nodes there are from here up without another between.
    low: u8,
    left: Option<Whole>,
}

struct State {
    names: Vec<String>,
    version: u64,
    app_hash: Hash,
    pending: Vec<u8>,
    /// Root hashes of stores to come, the next one last; None: no head was read.
    roots: Option<Vec<Hash>>,
    above: Vec<Above>,
}

/// Takes one version, chunk by chunk; after a refusal it accepts nothing any more.
#[pyclass(frozen, module = "pyibc_native.tree")]
pub struct Checker(Mutex<Option<State>>);

#[pymethods]
impl Checker {
    /// `names`: of the stores, in byte order.
    #[new]
    #[pyo3(signature = (names, version, app_hash, /))]
    fn new(names: Vec<String>, version: u64, app_hash: Hash) -> Self {
        let (pending, above) = (Vec::new(), Vec::new());
        Checker(Mutex::new(Some(State { names, version, app_hash, pending, roots: None, above })))
    }

    /// Whether the next chunk may go on what there was; other threads go on meanwhile.
    #[pyo3(signature = (chunk, /))]
    fn feed(&self, py: Python<'_>, chunk: PyBackedBytes) -> bool {
        py.detach(|| {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(mut taken) = state.take() else { return false };
            *state = guarded(move || taken.feed(&chunk).then_some(taken));
            state.is_some()
        })
    }

    /// Whether nothing is missing.
    fn finish(&self) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_done = |of: &State| of.pending.is_empty() && of.roots.as_ref().is_some_and(Vec::is_empty);
        state.as_ref().is_some_and(is_done)
    }
}

impl State {
    fn feed(&mut self, chunk: &[u8]) -> bool {
        self.pending.extend_from_slice(chunk);
        let data = std::mem::take(&mut self.pending);
        let mut cursor = Cursor { data: &data, at: 0 };
        while cursor.at < data.len() {
            let start = cursor.at;
            match self.record(&mut cursor) {
                Ok(()) => {}
                Err(Stop::Refused) => return false,
                Err(Stop::Cut) => {
                    self.pending = data[start..].to_vec();
                    return true;
                }
            }
        }
        true
    }

    fn record(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        let kind = cursor.take(1)?[0];
        let is_over = match &self.roots {
            None => return if kind == HEAD { self.head(cursor) } else { Err(Stop::Refused) },
            Some(roots) => roots.is_empty(),
        };
        match kind {
            _ if is_over => Err(Stop::Refused),
            LEAF => self.leaf(cursor),
            LOW => self.low(cursor),
            INNER => self.inner(cursor),
            _ => Err(Stop::Refused),
        }
    }

    fn head(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        if cursor.number()? != self.names.len() as u64 {
            return Err(Stop::Refused);
        }
        let (mut roots, mut leaves) = (Vec::new(), Vec::new());
        for name in &self.names {
            let raw = cursor.text()?;
            if raw != name.as_bytes() {
                return Err(Stop::Refused);
            }
            let root = cursor.hash()?;
            let mut leaf = Vec::new();
            crate::wire::put_varint(&mut leaf, raw.len() as u64);
            leaf.extend_from_slice(raw);
            leaf.push(HASH_LENGTH);
            leaf.extend_from_slice(&merkle::sha256(&[&root]));
            leaves.push(merkle::leaf(&leaf));
            roots.push(root);
        }
        let found = if leaves.is_empty() { EMPTY } else { merkle::root(leaves) };
        if found != self.app_hash {
            return Err(Stop::Refused);
        }
        roots.retain(|root| *root != EMPTY);
        roots.reverse();
        self.roots = Some(roots);
        Ok(())
    }

    fn inner(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        let (version, size, height) = (self.born(cursor)?, cursor.number()?, cursor.number()?);
        let hashes = [cursor.hash()?, cursor.hash()?];
        if height > TALLEST || self.above.len() as u64 >= TALLEST {
            return Err(Stop::Refused);
        }
        let found = inner_hash(height as u8, size, version, &pair(&hashes[0], &hashes[1]));
        if Some(found) != self.expected() {
            return Err(Stop::Refused);
        }
        self.above.push(Above { version, hashes: Some(hashes), low: 0, left: None });
        Ok(())
    }

    fn low(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        let version = self.born(cursor)?;
        let low = self.above.last().map_or(1, |above| above.low + 1);
        if low > LOW_HEIGHT {
            return Err(Stop::Refused);
        }
        self.above.push(Above { version, hashes: None, low, left: None });
        Ok(())
    }

    fn leaf(&mut self, cursor: &mut Cursor<'_>) -> Read<()> {
        let version = self.born(cursor)?;
        let (key, value) = (cursor.text()?, cursor.text()?);
        if key.is_empty() {
            return Err(Stop::Refused);
        }
        self.whole(Whole { height: 0, size: 1, hash: leaf_hash(version, key, value) })
    }

    /// Goes up, as long as a right child is done with it.
    fn whole(&mut self, mut node: Whole) -> Read<()> {
        loop {
            if self.expected().is_some_and(|expected| expected != node.hash) {
                return Err(Stop::Refused);
            }
            let Some(above) = self.above.last_mut() else {
                self.roots.as_mut().and_then(Vec::pop);
                return Ok(());
            };
            let Some(left) = above.left.take() else {
                above.left = Some(node);
                return Ok(());
            };
            let height = left.height.max(node.height) + 1;
            let size = left.size.checked_add(node.size).ok_or(Stop::Refused)?;
            let hash = inner_hash(height, size, above.version, &pair(&left.hash, &node.hash));
            self.above.pop();
            node = Whole { height, size, hash };
        }
    }

    /// The hash of the node that is next to be whole; None if its parent does not tell.
    fn expected(&self) -> Option<Hash> {
        match self.above.last() {
            Some(above) => above.hashes.map(|hashes| hashes[usize::from(above.left.is_some())]),
            None => self.roots.as_ref().and_then(|roots| roots.last().copied()),
        }
    }

    fn born(&self, cursor: &mut Cursor<'_>) -> Read<u64> {
        let version = cursor.number()?;
        if (1..=self.version).contains(&version) {
            Ok(version)
        } else {
            Err(Stop::Refused)
        }
    }
}

/// Where the next record is read; what it has not whole is cut.
struct Cursor<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, length: usize) -> Read<&'a [u8]> {
        let end = self.at.checked_add(length).ok_or(Stop::Refused)?;
        let found = self.data.get(self.at..end).ok_or(Stop::Cut)?;
        self.at = end;
        Ok(found)
    }

    /// A varint of 64 bits in its shortest form.
    fn number(&mut self) -> Read<u64> {
        let mut number = 0u64;
        for place in 0..LONGEST_VARINT {
            let byte = self.take(1)?[0];
            if place == LONGEST_VARINT - 1 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return if byte != 0 || place == 0 { Ok(number) } else { Err(Stop::Refused) };
            }
        }
        Err(Stop::Refused)
    }

    fn text(&mut self) -> Read<&'a [u8]> {
        let length = self.number()?;
        if length > MAX_TEXT {
            return Err(Stop::Refused);
        }
        self.take(length as usize)
    }

    fn hash(&mut self) -> Read<Hash> {
        self.take(32)?.try_into().map_err(|_| Stop::Refused)
    }
}

//! A key within its node if it is short, so that a descent finds it where it looks anyway.

use std::ops::Deref;
use std::sync::Arc;

/// Bytes that stand in the node itself: what is left of a line of the processor's cache.
const SHORT: usize = 37;
/// In the place of a short key's length: the bytes are a pointer and a length.
const LONG: u8 = u8::MAX;
const WORD: usize = size_of::<usize>();

/// Bytes without an alignment of their own, unlike an enum's of the same.
pub struct Key {
    length: u8,
    bytes: [u8; SHORT],
}

impl Key {
    /// Of a node whose content is not there.
    pub const NONE: Key = Key { length: 0, bytes: [0; SHORT] };

    pub fn new(key: &[u8]) -> Self {
        if key.len() > SHORT {
            return Key::long(key.into());
        }
        let mut bytes = [0; SHORT];
        bytes[..key.len()].copy_from_slice(key);
        Key { length: key.len() as u8, bytes }
    }

    /// Shared by the nodes that have it: a leaf and at most one inner node, and their copies.
    fn long(key: Arc<[u8]>) -> Self {
        let length = key.len();
        let start = Arc::into_raw(key).cast::<u8>();
        let mut bytes = [0; SHORT];
        bytes[..WORD].copy_from_slice(&start.expose_provenance().to_ne_bytes());
        bytes[WORD..2 * WORD].copy_from_slice(&length.to_ne_bytes());
        Key { length: LONG, bytes }
    }

    /// What `long` was given, if it was.
    fn shared(&self) -> Option<*const [u8]> {
        let word = |at: usize| usize::from_ne_bytes(self.bytes[at..at + WORD].try_into().expect("a word"));
        (self.length == LONG)
            .then(|| std::ptr::slice_from_raw_parts(std::ptr::with_exposed_provenance(word(0)), word(WORD)))
    }
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self.shared() {
            None => &self.bytes[..usize::from(self.length)],
            // SAFETY: this key is one of the references that keep it.
            Some(key) => unsafe { &*key },
        }
    }
}

impl Clone for Key {
    fn clone(&self) -> Self {
        if let Some(key) = self.shared() {
            // SAFETY: it is of `Arc::into_raw`; the copy is counted, and `drop` uncounts it.
            unsafe { Arc::increment_strong_count(key) };
        }
        Key { length: self.length, bytes: self.bytes }
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        if let Some(key) = self.shared() {
            // SAFETY: it is of `Arc::into_raw`, and this reference was counted.
            drop(unsafe { Arc::from_raw(key) });
        }
    }
}

//! Memory of nodes: slots of 128 bytes side by side, on large pages where the system has them.
//!
//! A descent waits for memory, one node after the other. The half of a node that it reads is one line of the
//! processor's cache here, and large pages spare the look-up of each node's page: that is most of a `get`.
//! Freed slots are used again; memory goes back to the system with the process only.

use super::node::Node;
use std::alloc::{alloc, handle_alloc_error, Layout};
use std::cell::Cell;
use std::ptr::{null_mut, NonNull};

const SLOT: usize = size_of::<Node>();
const FIRST_CHUNK: usize = 64 << 10;
const LAST_CHUNK: usize = 4 << 20;
const LARGE_PAGE: usize = 2 << 20;

/// A slot that holds no node: the next one of these.
struct Free {
    next: *mut Free,
}

struct Arena {
    free: Cell<*mut Free>,
    /// Slots of the last chunk that were never used: where they begin, and bytes that are left.
    fresh: Cell<*mut u8>,
    left: Cell<usize>,
    chunk: Cell<usize>,
}

// SAFETY: reached under Python's lock alone, as nodes are.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena {
    free: Cell::new(null_mut()),
    fresh: Cell::new(null_mut()),
    left: Cell::new(0),
    chunk: Cell::new(FIRST_CHUNK),
};

/// Memory for one node. With Python's lock held, as `release`.
pub fn take() -> NonNull<Node> {
    if let Some(slot) = NonNull::new(ARENA.free.get()) {
        // SAFETY: `release` wrote it, and nobody has taken it since.
        ARENA.free.set(unsafe { slot.as_ref() }.next);
        return slot.cast();
    }
    if ARENA.left.get() < SLOT {
        grow();
    }
    let slot = ARENA.fresh.get();
    // SAFETY: at least one slot is left from there on.
    ARENA.fresh.set(unsafe { slot.add(SLOT) });
    ARENA.left.set(ARENA.left.get() - SLOT);
    NonNull::new(slot).expect("a chunk is somewhere").cast()
}

/// Takes back a slot, in which is no node any more.
///
/// # Safety
/// It is of `take`, and nobody uses it after this.
pub unsafe fn release(slot: NonNull<Node>) {
    let slot = slot.cast::<Free>();
    // SAFETY: a slot is larger than this, and is nobody's now.
    unsafe { slot.write(Free { next: ARENA.free.get() }) };
    ARENA.free.set(slot.as_ptr());
}

fn grow() {
    let size = ARENA.chunk.get();
    let layout = Layout::from_size_align(size, size.min(LARGE_PAGE)).expect("a power of two");
    // SAFETY: the size is not zero.
    let chunk = unsafe { alloc(layout) };
    if chunk.is_null() {
        handle_alloc_error(layout);
    }
    if size >= LARGE_PAGE {
        large_pages(chunk, size);
    }
    ARENA.fresh.set(chunk);
    ARENA.left.set(size);
    ARENA.chunk.set((size * 2).min(LAST_CHUNK));
}

/// Asks for large pages; without them it is slower.
#[cfg(target_os = "linux")]
fn large_pages(chunk: *mut u8, size: usize) {
    // SAFETY: the memory is ours, and its content stays.
    unsafe { libc::madvise(chunk.cast(), size, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
fn large_pages(_chunk: *mut u8, _size: usize) {}

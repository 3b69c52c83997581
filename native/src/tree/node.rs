//! The tree's node, shared between versions, and the rule by which its fields are looked at.

use super::arena;
use super::key::Key;
use super::loader::Loader;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::{Cell, UnsafeCell};
use std::ops::Deref;
use std::ptr::NonNull;

/// What is below a node.
pub enum Below {
    Leaf(Py<PyBytes>),
    Inner(Ref, Ref),
    /// On disk, and who loads it from there.
    Hollow(Py<Loader>),
    /// Freed, since only the hash is asked for.
    Gone,
}

/// The fields of `iavl.nodes.node.Node`: in the first 64 bytes, a line of the processor's cache, what a descent reads.
#[repr(C)]
pub struct Body {
    pub below: Below,
    pub height: u8,
    /// Whether it has hash, size and version: it is not written any more then, but copied.
    pub is_hashed: bool,
    pub key: Key,
    pub size: u64,
    pub version: u64,
    pub serial: u64,
    pub hash: [u8; 32],
}

/// A node.
///
/// Whoever has to do with one holds Python's lock (`pyo3`'s `Python<'_>`; the module says that it needs it), and
/// calls no Python while it holds a reference to a body: a call may let other threads run, and they may load or
/// empty the same node. So all of this tree's work is either quiet, without Python, or a call without
/// references: a quiet function that meets a hollow node returns it, the caller has it loaded, and starts the
/// quiet function again (`loader::quiet`).
#[repr(C, align(64))]
pub struct Node {
    body: UnsafeCell<Body>,
    references: Cell<usize>,
}

const _: () = assert!(size_of::<Node>() == 128 && std::mem::offset_of!(Body, size) == 64);

/// A counted reference to a node; the last one frees it, as deep as the tree is high.
pub struct Ref(NonNull<Node>);

// SAFETY: nodes and their counts are reached under Python's lock alone, as said above.
unsafe impl Send for Ref {}
unsafe impl Sync for Ref {}

impl Ref {
    pub fn new(body: Body) -> Self {
        let slot = arena::take();
        // SAFETY: the slot is free, and as large as a node.
        unsafe { slot.write(Node { body: UnsafeCell::new(body), references: Cell::new(1) }) };
        Ref(slot)
    }

    pub fn is(&self, other: &Ref) -> bool {
        self.0 == other.0
    }

    /// Has the processor fetch what a descent reads of the node, for who comes to it soon.
    pub fn prefetch(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a hint, which reads nothing; and the node is there.
        unsafe {
            use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
            _mm_prefetch::<_MM_HINT_T0>(self.0.as_ptr().cast());
        }
    }

    pub fn address(&self) -> usize {
        self.0.addr().get()
    }
}

impl Deref for Ref {
    type Target = Node;

    fn deref(&self) -> &Node {
        // SAFETY: a reference that is counted keeps its node.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for Ref {
    fn clone(&self) -> Self {
        self.references.set(self.references.get() + 1);
        Ref(self.0)
    }
}

impl Drop for Ref {
    fn drop(&mut self) {
        let left = self.references.get() - 1;
        self.references.set(left);
        if left == 0 {
            // SAFETY: this was the last reference.
            unsafe {
                self.0.drop_in_place();
                arena::release(self.0);
            }
        }
    }
}

impl Node {
    /// A dirty leaf.
    pub fn leaf(key: Key, value: Py<PyBytes>) -> Ref {
        Node::dirty(key, Below::Leaf(value), 0)
    }

    /// A dirty inner node.
    pub fn inner(key: Key, left: Ref, right: Ref) -> Ref {
        let height = height_over(&left, &right);
        Node::dirty(key, Below::Inner(left, right), height)
    }

    pub fn dirty(key: Key, below: Below, height: u8) -> Ref {
        Ref::new(Body { below, height, is_hashed: false, key, size: 1, version: 0, serial: 0, hash: [0; 32] })
    }

    /// Its fields. The reference ends before `change` is called for this node, and before any call of Python.
    pub fn body(&self) -> &Body {
        // SAFETY: nobody changes it meanwhile, by the rule of `Node`.
        unsafe { &*self.body.get() }
    }

    /// Changes its fields; `work` looks at no other way to this node, and calls no Python.
    pub fn change<T>(&self, work: impl FnOnce(&mut Body) -> T) -> T {
        // SAFETY: nobody looks at it meanwhile, by the rule of `Node`.
        work(unsafe { &mut *self.body.get() })
    }

    pub fn height(&self) -> u8 {
        self.body().height
    }

    /// The children of an inner node whose content is there.
    pub fn children(&self) -> (&Ref, &Ref) {
        match &self.body().below {
            Below::Inner(left, right) => (left, right),
            _ => unreachable!("children of a node that has none"),
        }
    }

    /// Puts a child in the place of another, which it returns: to be dropped when nothing is looked at.
    pub fn replace(&self, is_left: bool, child: Ref) -> Ref {
        self.change(|body| match &mut body.below {
            Below::Inner(left, right) => std::mem::replace(if is_left { left } else { right }, child),
            _ => unreachable!("a child of a node that has none"),
        })
    }

    /// Sets the height of a dirty inner node from its children.
    pub fn measure(&self) {
        let (left, right) = self.children();
        let height = height_over(left, right);
        self.change(|body| body.height = height);
    }

    pub fn is_hollow(&self) -> bool {
        matches!(self.body().below, Below::Hollow(_))
    }
}

/// The height of a node over these.
pub fn height_over(left: &Node, right: &Node) -> u8 {
    above(left.height(), right.height())
}

/// The height above two subtrees; no tree is near the byte's end, but on a spoilt disk.
pub fn above(left: u8, right: u8) -> u8 {
    left.max(right).wrapping_add(1)
}

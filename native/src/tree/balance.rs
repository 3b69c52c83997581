//! AVL rotations, in the cases and order of cosmos/iavl (`iavl/nodes/write.py`), and what they will need.

use super::loader::Quiet;
use super::node::{above, Below, Ref};
use super::write::dirty_copy;

/// Sets the height of a dirty node, and rotates where its subtrees are two apart; returns the subtree's top.
pub fn balanced(node: Ref, orphans: &mut Vec<Ref>) -> Ref {
    let (left, right) = node.children();
    match i16::from(left.height()) - i16::from(right.height()) {
        -1..=1 => {
            node.measure();
            node
        }
        2.. => {
            let (outer, inner) = left.children();
            if outer.height() < inner.height() {
                let left = rotate(dirty_copy(left, orphans), false, orphans);
                node.replace(true, left);
            }
            rotate(node, true, orphans)
        }
        _ => {
            let (inner, outer) = right.children();
            if inner.height() > outer.height() {
                let right = rotate(dirty_copy(right, orphans), true, orphans);
                node.replace(false, right);
            }
            rotate(node, false, orphans)
        }
    }
}

/// Lifts the left child, or the right one, above `node` (dirty); returns the new top.
fn rotate(node: Ref, lifts_left: bool, orphans: &mut Vec<Ref>) -> Ref {
    let (left, right) = node.children();
    let top = dirty_copy(if lifts_left { left } else { right }, orphans);
    let (left, right) = top.children();
    let between = if lifts_left { right } else { left }.clone();
    node.replace(lifts_left, between);
    node.measure();
    top.replace(!lifts_left, node);
    top.measure();
    top
}

/// The height of a subtree without the leaf of `key`, 0 also for none left; None: it is not there.
///
/// It looks at all that removing it will look at, so that nothing has to be loaded then.
pub fn height_without(node: &Ref, key: &[u8]) -> Quiet<Option<u8>> {
    let body = node.body();
    let (left, right) = match &body.below {
        Below::Leaf(_) => return Ok((*body.key == *key).then_some(0)),
        Below::Inner(left, right) => (left, right),
        Below::Hollow(_) | Below::Gone => return Err(node.clone()),
    };
    let is_left = *key < *body.key;
    let (child, other) = if is_left { (left, right) } else { (right, left) };
    let Some(height) = height_without(child, key)? else { return Ok(None) };
    if child.height() == 0 {
        return Ok(Some(other.height())); // it moves up
    }
    if u16::from(other.height()) < u16::from(height) + 2 {
        return Ok(Some(above(height, other.height())));
    }
    let (near, far) = seen(other, is_left)?;
    if near.height() <= far.height() {
        return Ok(Some(above(far.height(), above(height, near.height()))));
    }
    let (nearer, farther) = seen(near, is_left)?;
    Ok(Some(above(above(height, nearer.height()), above(farther.height(), far.height()))))
}

/// The children of an inner node, the left one first or the right one.
fn seen(node: &Ref, left_first: bool) -> Quiet<(&Ref, &Ref)> {
    match &node.body().below {
        Below::Inner(left, right) if left_first => Ok((left, right)),
        Below::Inner(left, right) => Ok((right, left)),
        _ => Err(node.clone()),
    }
}

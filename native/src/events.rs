//! Events of ABCI in protobuf, out of plain tuples: (type, attributes), each (key, value) or (key, value, indexed).

use crate::wire::{put_bytes, put_message, put_number};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString, PyTuple};

/// The field `number` of a message once for each event; None where something is not as it should be.
pub fn encode(events: &Bound<'_, PyAny>, number: u8) -> Option<Vec<u8>> {
    let (mut out, mut event, mut attribute) = (Vec::new(), Vec::new(), Vec::new());
    for each in items(events)? {
        let [kind, attributes] = parts::<2>(&each)?;
        event.clear();
        put_bytes(&mut event, 1, text(&kind)?);
        for each in items(&attributes)? {
            attribute.clear();
            put_attribute(&mut attribute, &each)?;
            put_message(&mut event, 2, &attribute);
        }
        put_message(&mut out, number, &event);
    }
    Some(out)
}

fn put_attribute(out: &mut Vec<u8>, attribute: &Bound<'_, PyAny>) -> Option<()> {
    let (key, value, indexed) = match parts::<3>(attribute) {
        Some([key, value, indexed]) => (key, value, indexed.cast::<PyBool>().ok()?.is_true()),
        None => {
            let [key, value] = parts::<2>(attribute)?;
            (key, value, true)
        }
    };
    put_bytes(out, 1, text(&key)?);
    put_bytes(out, 2, text(&value)?);
    put_number(out, 3, u64::from(indexed));
    Some(())
}

fn items<'py>(sequence: &Bound<'py, PyAny>) -> Option<Vec<Bound<'py, PyAny>>> {
    if let Ok(list) = sequence.cast::<PyList>() {
        return Some(list.iter().collect());
    }
    Some(sequence.cast::<PyTuple>().ok()?.iter().collect())
}

fn parts<'py, const N: usize>(record: &Bound<'py, PyAny>) -> Option<[Bound<'py, PyAny>; N]> {
    let record = record.cast::<PyTuple>().ok()?;
    if record.len() != N {
        return None;
    }
    record.iter().collect::<Vec<_>>().try_into().ok()
}

/// UTF-8 of a text, which keeps it; None where it cannot be written in it.
fn text<'a>(value: &'a Bound<'_, PyAny>) -> Option<&'a [u8]> {
    Some(value.cast::<PyString>().ok()?.to_str().ok()?.as_bytes())
}

//! Results of a block, as pyibc.node.v1.Query/BlockResults tells them, in plain tuples.

use crate::wire::Reader;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::collections::HashMap;
use std::str::from_utf8;

/// Texts that come again and again, as the keys of attributes do: made once an answer.
struct Maker<'a, 'py> {
    py: Python<'py>,
    known: HashMap<&'a [u8], Bound<'py, PyAny>>,
}

/// (height, app hash, results, events of the block, transactions); a result is (code, codespace, events, gas wanted,
/// gas used, data, log), an event (type, attributes), an attribute (key, value). None where the bytes are not
/// canonical, and of a deflated answer.
pub fn read<'py>(py: Python<'py>, raw: &[u8]) -> Option<Bound<'py, PyTuple>> {
    let mut maker = Maker { py, known: HashMap::new() };
    let mut reader = Reader::new(raw);
    let (height, app_hash) = (reader.signed(1)?, reader.bytes(2)?);
    let mut results = Vec::new();
    while let Some(each) = reader.message(3) {
        results.push(maker.result(each)?);
    }
    let events = maker.events(&mut reader, 4)?;
    let mut txs = Vec::new();
    while let Some(tx) = reader.message(5) {
        txs.push(PyBytes::new(py, tx));
    }
    reader.end()?;
    let (results, txs) = (PyTuple::new(py, results).ok()?, PyTuple::new(py, txs).ok()?);
    let made = (height, PyBytes::new(py, app_hash), results, events, txs);
    made.into_pyobject(py).ok()
}

impl<'a, 'py> Maker<'a, 'py> {
    fn result(&mut self, raw: &'a [u8]) -> Option<Bound<'py, PyTuple>> {
        let mut reader = Reader::new(raw);
        let code = u32::try_from(reader.number(1)?).ok()?;
        let (data, log) = (reader.bytes(2)?, from_utf8(reader.bytes(3)?).ok()?);
        from_utf8(reader.bytes(4)?).ok()?; // info: read by nobody
        let (wanted, used) = (reader.signed(5)?, reader.signed(6)?);
        let events = self.events(&mut reader, 7)?;
        let codespace = self.known_text(reader.bytes(8)?)?;
        reader.end()?;
        let (data, log) = (PyBytes::new(self.py, data), PyString::new(self.py, log));
        (code, codespace, events, wanted, used, data, log).into_pyobject(self.py).ok()
    }

    fn events(&mut self, reader: &mut Reader<'a>, number: u8) -> Option<Bound<'py, PyTuple>> {
        let mut found = Vec::new();
        while let Some(raw) = reader.message(number) {
            let mut event = Reader::new(raw);
            let kind = self.known_text(event.bytes(1)?)?;
            let mut attributes = Vec::new();
            while let Some(raw) = event.message(2) {
                attributes.push(self.attribute(raw)?);
            }
            event.end()?;
            let attributes = PyTuple::new(self.py, attributes).ok()?;
            found.push((kind, attributes).into_pyobject(self.py).ok()?);
        }
        PyTuple::new(self.py, found).ok()
    }

    fn attribute(&mut self, raw: &'a [u8]) -> Option<Bound<'py, PyTuple>> {
        let mut reader = Reader::new(raw);
        let (key, value) = (reader.bytes(1)?, reader.bytes(2)?);
        if reader.number(3)? > 1 {
            return None; // whether it is indexed
        }
        reader.end()?;
        let value = PyString::new(self.py, from_utf8(value).ok()?);
        (self.known_text(key)?, value).into_pyobject(self.py).ok()
    }

    fn known_text(&mut self, raw: &'a [u8]) -> Option<Bound<'py, PyAny>> {
        if let Some(found) = self.known.get(raw) {
            return Some(found.clone());
        }
        let made = PyString::new(self.py, from_utf8(raw).ok()?).into_any();
        self.known.insert(raw, made.clone());
        Some(made)
    }
}

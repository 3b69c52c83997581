//! Protobuf as every honest encoder writes it: fields in order, shortest varints, no zero written out.
//!
//! Other bytes may say the same; they are not read here, so that nothing depends on how decoders differ.

pub const VARINT: u8 = 0;
pub const BYTES: u8 = 2;

/// Where a reader stands that has met what it cannot read: nowhere in its bytes, and not at their end.
const BROKEN: usize = usize::MAX;

/// One message, read from its first field to its last; None wherever the bytes are not canonical.
pub struct Reader<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(data: &'a [u8]) -> Self {
        Reader { data, at: 0 }
    }

    /// Whether the next field has this number and type; its tag is then read. Numbers are below 16.
    pub fn next_is(&mut self, number: u8, kind: u8) -> bool {
        let found = self.data.get(self.at) == Some(&(number << 3 | kind));
        self.at += usize::from(found);
        found
    }

    /// A varint in its shortest form, of 64 bits at most.
    fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for place in 0..10 {
            let byte = *self.data.get(self.at)?;
            self.at += 1;
            if place == 9 && byte > 1 {
                return None;
            }
            number |= u64::from(byte & 0x7f) << (7 * place);
            if byte < 0x80 {
                return (byte != 0 || place == 0).then_some(number);
            }
        }
        None
    }

    /// An integer field: 0 where it is not there, None where 0 is written.
    pub fn number(&mut self, number: u8) -> Option<u64> {
        if !self.next_is(number, VARINT) {
            return Some(0);
        }
        self.varint().filter(|value| *value != 0)
    }

    /// A signed integer field of 64 bits.
    pub fn signed(&mut self, number: u8) -> Option<i64> {
        self.number(number).map(|value| value as i64)
    }

    fn delimited(&mut self) -> Option<&'a [u8]> {
        let size = usize::try_from(self.varint()?).ok()?;
        let end = self.at.checked_add(size)?;
        let found = self.data.get(self.at..end)?;
        self.at = end;
        Some(found)
    }

    /// A bytes or string field: empty where it is not there, None where an empty one is written.
    pub fn bytes(&mut self, number: u8) -> Option<&'a [u8]> {
        if !self.next_is(number, BYTES) {
            return Some(&[]);
        }
        self.delimited().filter(|found| !found.is_empty())
    }

    /// A message's bytes: None where it is not there. Where it is not whole, the reader has no end any more:
    /// whoever takes one message after the other would else take a lone tag for nothing.
    pub fn message(&mut self, number: u8) -> Option<&'a [u8]> {
        if !self.next_is(number, BYTES) {
            return None;
        }
        let found = self.delimited();
        if found.is_none() {
            self.at = BROKEN;
        }
        found
    }

    /// A message's bytes, which may be missing: it is then as an empty one.
    pub fn message_or_empty(&mut self, number: u8) -> Option<&'a [u8]> {
        if self.next_is(number, BYTES) {
            self.delimited()
        } else {
            Some(&[])
        }
    }

    /// Nothing is left.
    pub fn end(self) -> Option<()> {
        (self.at == self.data.len()).then_some(())
    }
}

/// Appends the shortest varint of a number.
pub fn put_varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends an integer field; nothing where it is 0.
pub fn put_number(out: &mut Vec<u8>, number: u8, value: u64) {
    if value != 0 {
        out.push(number << 3 | VARINT);
        put_varint(out, value);
    }
}

/// Appends an embedded message, even an empty one.
pub fn put_message(out: &mut Vec<u8>, number: u8, data: &[u8]) {
    out.push(number << 3 | BYTES);
    put_varint(out, data.len() as u64);
    out.extend_from_slice(data);
}

/// Appends a bytes field; nothing where it is empty.
pub fn put_bytes(out: &mut Vec<u8>, number: u8, data: &[u8]) {
    if !data.is_empty() {
        put_message(out, number, data);
    }
}

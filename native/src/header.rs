//! An ICS-7 `Header`: read, and checked as far as that goes without trust (`updates.check_basic`).

use crate::merkle::{leaf, root, sha256, Hash};
use crate::wire::{put_bytes, put_message, put_number, put_varint, Reader};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

pub const FLAG_ABSENT: u64 = 1;
pub const FLAG_COMMIT: u64 = 2;
const FLAG_NIL: u64 = 3;
const BLOCK_PROTOCOL: u64 = 11;
const MAX_CHAIN_ID: usize = 50;
const MAX_SIGNATURE: usize = 96;
const MAX_VALIDATORS: usize = 10_000;
const MAX_TOTAL_POWER: u64 = i64::MAX as u64 / 8;
const GO_ZERO_SECONDS: i64 = -62_135_596_800;
const YEAR_10000: i64 = 253_402_300_800;

/// A time, and its bytes as a `Timestamp`: those that are hashed and signed as well.
#[derive(Clone, Copy)]
pub struct Time<'a> {
    pub seconds: i64,
    pub nanos: i64,
    pub raw: &'a [u8],
}

#[derive(Clone, Copy)]
pub struct BlockId<'a> {
    pub hash: &'a [u8],
    pub total: u64,
    pub parts: &'a [u8],
}

pub struct Header<'a> {
    pub block: u64,
    pub app: u64,
    pub chain_id: &'a str,
    pub height: i64,
    pub time: Time<'a>,
    pub last_block_id: BlockId<'a>,
    /// Fields 6 to 13: last commit, data, validators, next validators, consensus, app, results, evidence.
    pub hashes: [&'a [u8]; 8],
    pub proposer: &'a [u8],
}

const VALIDATORS: usize = 2;
const APP: usize = 5;

pub struct Vote<'a> {
    pub flag: u64,
    pub address: &'a [u8],
    pub time: &'a [u8],
    pub signature: &'a [u8],
}

pub struct Commit<'a> {
    pub height: i64,
    pub round: u64,
    pub block_id: BlockId<'a>,
    pub votes: Vec<Vote<'a>>,
}

pub struct Member<'a> {
    pub address: &'a [u8],
    pub key: &'a [u8],
    pub power: u64,
}

pub struct Set<'a> {
    pub members: Vec<Member<'a>>,
    pub total: u64,
}

/// The parts of an ICS-7 header, each well-typed; what they say of each other is `checked`'s to look at.
pub struct Parts<'a> {
    pub header: Header<'a>,
    pub commit: Commit<'a>,
    pub own: Set<'a>,
    /// The validators at the trusted height; None where they are the same bytes as `own`.
    pub trusted: Option<Set<'a>>,
    pub revision: u64,
    pub trusted_height: u64,
}

/// What `read_header` answers with.
pub struct Facts<'a> {
    parts: Parts<'a>,
    trusted_hash: Hash,
}

pub fn read(raw: &[u8]) -> Option<Parts<'_>> {
    let mut reader = Reader::new(raw);
    let mut signed = Reader::new(reader.message(1)?);
    let own_bytes = reader.message(2)?;
    let mut base = Reader::new(reader.message_or_empty(3)?);
    let trusted_bytes = reader.message(4)?;
    reader.end()?;
    let header = header(signed.message(1)?)?;
    let commit = commit(signed.message(2)?)?;
    signed.end()?;
    let (revision, trusted_height) = (base.number(1)?, base.number(2)?);
    base.end()?;
    let own = set(own_bytes)?;
    let trusted = if trusted_bytes == own_bytes { None } else { Some(set(trusted_bytes)?) };
    Some(Parts { header, commit, own, trusted, revision, trusted_height })
}

/// A header that `read` takes, whose parts belong together; power and signatures are not looked at.
pub fn checked(raw: &[u8]) -> Option<Facts<'_>> {
    let parts = read(raw)?;
    let (header, commit) = (&parts.header, &parts.commit);
    if commit.height != header.height || commit.block_id.hash != header_hash(header) {
        return None;
    }
    let own_hash = set_hash(&parts.own);
    if header.hashes[VALIDATORS] != own_hash {
        return None;
    }
    let trusted_hash = parts.trusted.as_ref().map_or(own_hash, set_hash);
    Some(Facts { parts, trusted_hash })
}

fn header(raw: &[u8]) -> Option<Header<'_>> {
    let mut reader = Reader::new(raw);
    let mut version = Reader::new(reader.message(1)?);
    let (block, app) = (version.number(1)?, version.number(2)?);
    version.end()?;
    let chain_id = std::str::from_utf8(reader.bytes(2)?).ok().filter(|text| text.is_ascii())?;
    let height = reader.signed(3)?;
    let time = time(reader.message(4)?)?;
    let last_block_id = block_id(reader.message_or_empty(5)?)?;
    let mut hashes: [&[u8]; 8] = [&[]; 8];
    for (place, hash) in hashes.iter_mut().enumerate() {
        *hash = reader.bytes(6 + place as u8)?;
        if place != APP && !is_hash(hash) {
            return None;
        }
    }
    let proposer = reader.bytes(14)?;
    reader.end()?;
    let fine = block == BLOCK_PROTOCOL && chain_id.len() <= MAX_CHAIN_ID && height > 0 && proposer.len() == 20;
    fine.then_some(Header { block, app, chain_id, height, time, last_block_id, hashes, proposer })
}

fn commit(raw: &[u8]) -> Option<Commit<'_>> {
    let mut reader = Reader::new(raw);
    let (height, round) = (reader.signed(1)?, reader.number(2)?);
    let block_id = block_id(reader.message(3)?)?;
    let mut votes = Vec::new();
    while let Some(raw) = reader.message(4) {
        votes.push(vote(raw)?);
        if votes.len() > MAX_VALIDATORS {
            return None;
        }
    }
    reader.end()?;
    let fine = round <= i32::MAX as u64 && block_id.hash.len() == 32 && !votes.is_empty();
    fine.then_some(Commit { height, round, block_id, votes })
}

fn vote(raw: &[u8]) -> Option<Vote<'_>> {
    let mut reader = Reader::new(raw);
    let (flag, address) = (reader.number(1)?, reader.bytes(2)?);
    let time = time(reader.message(3)?)?;
    let signature = reader.bytes(4)?;
    reader.end()?;
    let fine = match flag {
        FLAG_ABSENT => {
            let zero = time.seconds == GO_ZERO_SECONDS && time.nanos == 0;
            address.is_empty() && signature.is_empty() && zero
        }
        FLAG_COMMIT | FLAG_NIL => address.len() == 20 && (1..=MAX_SIGNATURE).contains(&signature.len()),
        _ => false,
    };
    fine.then_some(Vote { flag, address, time: time.raw, signature })
}

fn time(raw: &[u8]) -> Option<Time<'_>> {
    let mut reader = Reader::new(raw);
    let (seconds, nanos) = (reader.signed(1)?, reader.signed(2)?);
    reader.end()?;
    let fine = (GO_ZERO_SECONDS..YEAR_10000).contains(&seconds) && (0..1_000_000_000).contains(&nanos);
    fine.then_some(Time { seconds, nanos, raw })
}

fn block_id(raw: &[u8]) -> Option<BlockId<'_>> {
    let mut reader = Reader::new(raw);
    let hash = reader.bytes(1)?;
    let mut of_parts = Reader::new(reader.message_or_empty(2)?);
    reader.end()?;
    let (total, parts) = (of_parts.number(1)?, of_parts.bytes(2)?);
    of_parts.end()?;
    let fine = total <= u64::from(u32::MAX) && is_hash(hash) && is_hash(parts);
    fine.then_some(BlockId { hash, total, parts })
}

fn is_hash(data: &[u8]) -> bool {
    matches!(data.len(), 0 | 32)
}

/// A set of Ed25519 keys; that none stands in it twice is asked where votes are counted.
fn set(raw: &[u8]) -> Option<Set<'_>> {
    let mut reader = Reader::new(raw);
    let (mut members, mut total) = (Vec::new(), 0u64);
    while let Some(raw) = reader.message(1) {
        let found = member(raw)?;
        total = total.checked_add(found.power)?;
        members.push(found);
        if members.len() > MAX_VALIDATORS {
            return None;
        }
    }
    let proposer = member(reader.message(2)?)?;
    reader.signed(3)?; // the total is ours to add up
    reader.end()?;
    let fine = total <= MAX_TOTAL_POWER && members.iter().any(|each: &Member| each.address == proposer.address);
    fine.then_some(Set { members, total })
}

fn member(raw: &[u8]) -> Option<Member<'_>> {
    let mut reader = Reader::new(raw);
    let address = reader.bytes(1)?;
    let mut of_key = Reader::new(reader.message(2)?);
    let key = of_key.bytes(1)?;
    of_key.end()?;
    let power = u64::try_from(reader.signed(3)?).ok()?;
    reader.signed(4)?; // the priority decides nothing
    reader.end()?;
    (key.len() == 32 && sha256(&[key])[..20] == *address).then_some(Member { address, key, power })
}

fn set_hash(set: &Set) -> Hash {
    let leaf_of = |member: &Member| {
        let mut data = vec![0x0a, 0x22, 0x0a, 0x20];
        data.extend_from_slice(member.key);
        put_number(&mut data, 2, member.power);
        leaf(&data)
    };
    root(set.members.iter().map(leaf_of).collect())
}

pub fn put_block_id(out: &mut Vec<u8>, id: &BlockId) {
    put_bytes(out, 1, id.hash);
    let mut parts = Vec::with_capacity(40);
    put_number(&mut parts, 1, id.total);
    put_bytes(&mut parts, 2, id.parts);
    put_message(out, 2, &parts);
}

/// The hash that a commit signs, of a header that names its validators.
fn header_hash(header: &Header) -> Hash {
    let mut leaves = Vec::with_capacity(14);
    let mut add = |fill: &dyn Fn(&mut Vec<u8>)| {
        let mut data = Vec::with_capacity(80);
        fill(&mut data);
        leaves.push(leaf(&data));
    };
    add(&|out| {
        put_number(out, 1, header.block);
        put_number(out, 2, header.app);
    });
    add(&|out| put_bytes(out, 1, header.chain_id.as_bytes()));
    add(&|out| put_number(out, 1, header.height as u64));
    add(&|out| out.extend_from_slice(header.time.raw));
    add(&|out| put_block_id(out, &header.last_block_id));
    for hash in header.hashes {
        add(&|out| put_bytes(out, 1, hash));
    }
    add(&|out| put_bytes(out, 1, header.proposer));
    root(leaves)
}

/// What validators sign for the commit's block, but for the time: what stands before it, and behind.
pub fn vote_frame(parts: &Parts) -> (Vec<u8>, Vec<u8>) {
    let commit = &parts.commit;
    let mut before = vec![8, 2]; // a precommit
    for (tag, value) in [(0x11, commit.height as u64), (0x19, commit.round)] {
        if value != 0 {
            before.push(tag);
            before.extend_from_slice(&value.to_le_bytes());
        }
    }
    let mut id = Vec::with_capacity(80);
    put_block_id(&mut id, &commit.block_id);
    put_message(&mut before, 4, &id);
    let mut behind = Vec::new();
    put_bytes(&mut behind, 6, parts.header.chain_id.as_bytes());
    (before, behind)
}

/// The bytes that are signed with a time (`CanonicalVote` behind its length).
pub fn sign_bytes(frame: &(Vec<u8>, Vec<u8>), time: &[u8]) -> Vec<u8> {
    let (before, behind) = frame;
    let mut out = Vec::with_capacity(before.len() + behind.len() + time.len() + 8);
    put_varint(&mut out, (before.len() + behind.len() + time.len() + 2) as u64);
    out.extend_from_slice(before);
    put_message(&mut out, 5, time);
    out.extend_from_slice(behind);
    out
}

/// (fields of the header, trusted height, hash of the trusted set, votes for the block, votes, members)
pub fn to_python<'py>(py: Python<'py>, facts: &Facts) -> PyResult<Bound<'py, PyAny>> {
    let parts = &facts.parts;
    let header = &parts.header;
    let bytes = |data: &[u8]| PyBytes::new(py, data).into_any();
    let id = &header.last_block_id;
    let mut fields = vec![
        PyString::new(py, header.chain_id).into_any(),
        header.height.into_pyobject(py)?.into_any(),
        (header.time.seconds, header.time.nanos).into_pyobject(py)?.into_any(),
        (bytes(id.hash), id.total, bytes(id.parts)).into_pyobject(py)?.into_any(),
    ];
    fields.extend(header.hashes.iter().map(|hash| bytes(hash)));
    fields.push(bytes(header.proposer));
    fields.push(header.block.into_pyobject(py)?.into_any());
    fields.push(header.app.into_pyobject(py)?.into_any());
    let votes = &parts.commit.votes;
    let for_block = votes.iter().filter(|vote| vote.flag == FLAG_COMMIT).count();
    let members = parts.own.members.len() + parts.trusted.as_ref().unwrap_or(&parts.own).members.len();
    let made = (
        PyTuple::new(py, fields)?,
        (parts.revision, parts.trusted_height),
        bytes(&facts.trusted_hash),
        (for_block, votes.len(), members),
    );
    Ok(made.into_pyobject(py)?.into_any())
}

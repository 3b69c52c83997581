//! Whether a commit's votes suffice (`light_client/tendermint/verifier.py`), and whether they verify.

use crate::ed25519::all_verify;
use crate::header::{read, sign_bytes, vote_frame, Parts, Set, FLAG_COMMIT};
use std::collections::{BTreeMap, BTreeSet};

/// A vote's place in the commit, and the key that it must verify by.
type Cast<'a> = (usize, &'a [u8]);

/// Enough of the header's own validators signed it, and with `trusting` (numerator, denominator) more than
/// that part of the trusted ones. A vote that both counts need is verified once.
///
/// `raw`: a header that `header::checked` has taken.
pub fn enough_signed(raw: &[u8], trusting: Option<(u64, u64)>) -> Option<()> {
    let parts = read(raw)?;
    let mut votes: BTreeSet<Cast> = own_votes(&parts)?.into_iter().collect();
    if let Some((numerator, denominator)) = trusting {
        let trusted = parts.trusted.as_ref().unwrap_or(&parts.own);
        votes.extend(trusted_votes(&parts, trusted, numerator, denominator)?);
    }
    let frame = vote_frame(&parts);
    let signed: Vec<_> = votes
        .iter()
        .map(|(place, key)| {
            let vote = &parts.commit.votes[*place];
            (*key, sign_bytes(&frame, vote.time), vote.signature)
        })
        .collect();
    all_verify(signed.iter().map(|(key, message, signature)| (*key, &**message, *signature))).then_some(())
}

/// The first votes that have more than two thirds of the power together.
fn own_votes<'a>(parts: &'a Parts) -> Option<Vec<Cast<'a>>> {
    let members = &parts.own.members;
    places(&parts.own)?;
    if parts.commit.votes.len() != members.len() {
        return None;
    }
    let needed = parts.own.total * 2 / 3;
    let (mut taken, mut power) = (Vec::new(), 0);
    for (place, (vote, member)) in parts.commit.votes.iter().zip(members).enumerate() {
        if vote.flag != FLAG_COMMIT {
            continue;
        }
        if vote.address != member.address {
            return None;
        }
        taken.push((place, member.key));
        power += member.power;
        if power > needed {
            return Some(taken);
        }
    }
    None
}

/// The first votes that have more than a part of the trusted power together.
fn trusted_votes<'a>(
    parts: &'a Parts,
    trusted: &'a Set<'a>,
    numerator: u64,
    denominator: u64,
) -> Option<Vec<Cast<'a>>> {
    let by_address = places(trusted)?;
    let product = trusted.total.checked_mul(numerator).filter(|product| *product <= i64::MAX as u64)?;
    let needed = product.checked_div(denominator)?;
    let (mut taken, mut power, mut seen) = (Vec::new(), 0, BTreeSet::new());
    for (place, vote) in parts.commit.votes.iter().enumerate() {
        let Some(at) = by_address.get(vote.address).filter(|_| vote.flag == FLAG_COMMIT) else { continue };
        if !seen.insert(*at) {
            return None;
        }
        let member = &trusted.members[*at];
        taken.push((place, member.key));
        power += member.power;
        if power > needed {
            return Some(taken);
        }
    }
    None
}

/// The places of a set's members by address; None where one stands in it twice.
fn places<'a>(set: &'a Set) -> Option<BTreeMap<&'a [u8], usize>> {
    let found: BTreeMap<_, _> = set.members.iter().enumerate().map(|(at, each)| (each.address, at)).collect();
    (found.len() == set.members.len()).then_some(found)
}

//! What a member's library is asked for, and in which order.

use crate::{heard, Begin, Failure, Library, Lines, Member};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::thread::spawn;
use std::time::{Duration, Instant};

const POLL: Duration = Duration::from_millis(50);
const COMMIT: Duration = Duration::from_millis(200);

pub type Place = (String, i32);
pub type Positions = BTreeMap<Place, i64>;

/// A record as it was handed out, with what was in it.
pub struct Handed {
    pub place: Place,
    pub offset: i64,
    pub value: Option<String>,
    pub key: Option<String>,
    pub headers: Vec<(String, Option<String>)>,
}

impl Handed {
    /// As its member says it, with the header that it was told to tell: of several of the name the
    /// last.
    pub(crate) fn told(&self, header: Option<&str>) -> Value {
        let Some(name) = header else {
            return json!([self.offset, self.value, self.key]);
        };
        let found = self.headers.iter().rfind(|(each, _)| each == name);
        let text = found.and_then(|(_, text)| text.as_ref());
        json!([self.offset, self.value, self.key, text])
    }
}

/// Tells its member what it is assigned, and what it has to give up, while it polls.
pub trait Consumer {
    fn subscribe(&self, topics: &[&str]) -> Result<(), String>;
    /// An error is why it is handed nothing any more, as who is fenced.
    fn poll(&self, wait: Duration, most: usize) -> Result<Vec<Handed>, String>;
    fn commit(&self, positions: &Positions) -> Result<(), Failure>;
    fn positions(&self) -> Positions;
}

pub(crate) fn listed(positions: &Positions) -> Vec<Value> {
    positions
        .iter()
        .map(|((topic, partition), at)| json!([topic, partition, at]))
        .collect()
}

/// Offsets that follow upon each other: the first, and one past the last.
pub(crate) fn spans((topic, partition): &Place, some: &[Handed]) -> Vec<Value> {
    let mut found: Vec<(i64, i64)> = vec![];
    for each in some {
        match found.last_mut().filter(|last| last.1 == each.offset) {
            Some(last) => last.1 += 1,
            None => found.push((each.offset, each.offset + 1)),
        }
    }
    found
        .into_iter()
        .map(|(from, to)| json!([topic, partition, from, to]))
        .collect()
}

/// Until it is told to stop; an error is why it never can.
pub(crate) fn consume(library: &dyn Library, begin: &Begin, lines: &Lines) -> Result<(), String> {
    let member = Arc::new(Member::new(lines));
    let consumer = library.join(begin, member.clone())?;
    let commit = |positions: &Positions| consumer.commit(positions);
    consumer.subscribe(&begin.topics())?;
    lines.say("ready", json!({}));
    let listening = member.clone();
    let listener = spawn(move || {
        while let Some(told) = heard().filter(|told| told["do"] != "stop") {
            if let Some(for_us) = told["for_us"].as_u64().filter(|_| told["do"] == "busy") {
                listening.busy_us.store(for_us, Ordering::Relaxed);
            }
        }
        listening.stopping.store(true, Ordering::Relaxed);
    });
    let mut told = Instant::now();
    while !member.stopping.load(Ordering::Relaxed) {
        match consumer.poll(POLL, begin.number("at_once") as usize) {
            Ok(records) => member.some(records, begin, &commit),
            Err(text) => {
                lines.say("fatal", json!({ "text": text }));
                let _ = listener.join(); // until it is told to stop
                return Ok(());
            }
        }
        if told.elapsed() >= COMMIT {
            member.commit(&commit);
            member.tell(consumer.positions());
            told = Instant::now();
        }
    }
    member.commit(&commit);
    drop(consumer); // it leaves its group, and gives up what it holds
    Ok(())
}

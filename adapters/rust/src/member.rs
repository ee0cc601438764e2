//! A member of a group: says what it is handed, processes it, and commits it.

use crate::consuming::{listed, spans};
use crate::{now, Begin, Failure, Handed, Lines, Place, Positions};
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::Mutex;
use std::thread::sleep;
use std::time::Duration;

type Commit<'a> = &'a dyn Fn(&Positions) -> Result<(), Failure>;

#[derive(Default)]
struct State {
    held: Vec<Place>,
    ends: Positions, // processed, and not committed
    told: Positions,
}

pub struct Member {
    lines: Lines,
    state: Mutex<State>,
    pub(crate) stopping: AtomicBool,
    pub(crate) busy_us: AtomicU64, // of the next poll, before what that hands out is processed
}

impl Member {
    pub(crate) fn new(lines: &Lines) -> Member {
        Member {
            lines: lines.clone(),
            state: Mutex::default(),
            stopping: AtomicBool::new(false),
            busy_us: AtomicU64::new(0),
        }
    }

    pub fn assigned(&self, places: Vec<Place>) {
        let mut state = self.state.lock().unwrap();
        let new: Vec<_> = places
            .into_iter()
            .filter(|each| !state.held.contains(each))
            .collect();
        state.held.extend(new.iter().cloned());
        self.deal("assigned", &new);
    }

    /// They are revoked: what was processed of them is committed first, unless they are lost.
    pub fn left(&self, places: Vec<Place>, commit: Option<Commit>) {
        if let Some(commit) = commit {
            self.commit(commit);
        }
        let mut state = self.state.lock().unwrap();
        let gone: Vec<_> = places
            .into_iter()
            .filter(|each| state.held.contains(each))
            .collect();
        state.held.retain(|each| !gone.contains(each));
        state.ends.retain(|each, _| !gone.contains(each));
        state.told.retain(|each, _| !gone.contains(each));
        self.deal(if commit.is_some() { "revoked" } else { "lost" }, &gone);
    }

    fn deal(&self, event: &str, places: &[Place]) {
        self.lines.say(
            event,
            json!({ "at_ns": now(), "partitions": places, "generation": null }),
        );
    }

    pub(crate) fn some(&self, records: Vec<Handed>, begin: &Begin, commit: Commit) {
        let (at_ns, count) = (now(), records.len() as u64);
        let mut handed: BTreeMap<Place, Vec<Handed>> = BTreeMap::new();
        for each in records {
            handed.entry(each.place.clone()).or_default().push(each);
        }
        for ((topic, partition), some) in &handed {
            let told: Vec<_> = some
                .iter()
                .map(|each| each.told(begin.header(topic)))
                .collect();
            let fields =
                json!({ "at_ns": at_ns, "topic": topic, "partition": partition, "records": told });
            self.lines.say("polled", fields);
        }
        let is_first = begin.text("commits") == "before";
        if is_first {
            self.reached(&handed);
            self.commit(commit);
        }
        let (each_us, busy_us) = (begin.number("processing_us"), self.busy_us.swap(0, Relaxed));
        sleep(Duration::from_micros(each_us * count + busy_us));
        let offsets: Vec<_> = handed
            .iter()
            .flat_map(|(place, some)| spans(place, some))
            .collect();
        if !offsets.is_empty() {
            self.lines
                .say("processed", json!({ "at_ns": now(), "offsets": offsets }));
        }
        if !is_first {
            self.reached(&handed);
        }
    }

    fn reached(&self, handed: &BTreeMap<Place, Vec<Handed>>) {
        let state = &mut *self.state.lock().unwrap();
        for (place, some) in handed
            .iter()
            .filter(|(place, _)| state.held.contains(place))
        {
            state
                .ends
                .extend(some.last().map(|last| (place.clone(), last.offset + 1)));
        }
    }

    pub(crate) fn commit(&self, commit: Commit) {
        let asked = std::mem::take(&mut self.state.lock().unwrap().ends);
        if asked.is_empty() {
            return;
        }
        let told = json!({ "at_ns": now(), "offsets": listed(&asked) });
        self.lines.say("commit", told);
        let failure = commit(&asked).err();
        if let Some(failure) = &failure {
            let text = format!("a commit was answered by {}", failure.text);
            self.lines.say("complaint", json!({ "text": text }));
        }
        let (name, code) = failure.map_or((None, None), |failed| (Some(failed.name), failed.code));
        let told =
            json!({ "at_ns": now(), "offsets": listed(&asked), "error": name, "code": code });
        self.lines.say("committed", told);
    }

    /// How far it has got: over what nobody is handed as well.
    pub(crate) fn tell(&self, found: Positions) {
        let state = &mut *self.state.lock().unwrap();
        let has_moved = |(place, at): &(Place, i64)| {
            state.held.contains(place) && state.told.get(place) != Some(at)
        };
        let moved: Positions = found.into_iter().filter(has_moved).collect();
        if !moved.is_empty() {
            self.lines
                .say("reached", json!({ "offsets": listed(&moved) }));
            state.told.extend(moved);
        }
    }
}

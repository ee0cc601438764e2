//! Lines that are said, by any thread, and written by one of their own.

use nix::time::{clock_gettime, ClockId};
use serde_json::{json, Value};
use std::io::Write;
use std::sync::mpsc::{channel, Sender};
use std::thread::{spawn, JoinHandle};

/// CLOCK_MONOTONIC, in nanoseconds.
pub fn now() -> i64 {
    let read = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("a clock that every Linux has");
    read.tv_sec() * 1_000_000_000 + read.tv_nsec()
}

#[derive(Clone)]
pub struct Lines(Sender<Option<String>>);

impl Lines {
    /// Whoever ends them joins the thread: everything is written then.
    pub(crate) fn start() -> (Lines, JoinHandle<()>) {
        let (sender, receiver) = channel::<Option<String>>();
        let writer = spawn(move || {
            while let Ok(Some(mut some)) = receiver.recv() {
                let mut is_open = true;
                for each in receiver.try_iter() {
                    is_open = each.is_some();
                    some.extend(each);
                }
                let mut out = std::io::stdout().lock();
                let is_read = out
                    .write_all(some.as_bytes())
                    .and_then(|()| out.flush())
                    .is_ok();
                if !is_open || !is_read {
                    return;
                }
            }
        });
        (Lines(sender), writer)
    }

    pub fn say(&self, event: &str, mut fields: Value) {
        fields["event"] = json!(event);
        let _ = self.0.send(Some(format!("{fields}\n")));
    }

    pub(crate) fn end(&self) {
        let _ = self.0.send(None);
    }
}

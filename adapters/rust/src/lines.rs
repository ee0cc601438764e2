//! Lines that are said, by any thread, and written by one of their own.

use nix::time::{clock_gettime, ClockId};
use serde_json::{json, Value};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::mpsc::{channel, Receiver, Sender};
use std::thread::{spawn, JoinHandle};

const MOST: usize = 1000; // outcomes of a line

/// CLOCK_MONOTONIC, in nanoseconds.
pub fn now() -> i64 {
    let read = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("a clock that every Linux has");
    read.tv_sec() * 1_000_000_000 + read.tv_nsec()
}

enum Said {
    Line(String),
    /// A record with its offset, and when it became known; it shares a line with those beside it.
    Acknowledged(i64, Option<i64>, i64),
    End,
}

#[derive(Clone)]
pub struct Lines(Sender<Said>);

impl Lines {
    /// Whoever ends them joins the thread: everything is written then.
    pub(crate) fn start() -> (Lines, JoinHandle<()>) {
        let (sender, receiver) = channel();
        (Lines(sender), spawn(move || write(&receiver)))
    }

    pub fn say(&self, event: &str, mut fields: Value) {
        fields["event"] = json!(event);
        let _ = self.0.send(Said::Line(format!("{fields}\n")));
    }

    pub(crate) fn acknowledged(&self, number: i64, offset: Option<i64>) {
        let _ = self.0.send(Said::Acknowledged(number, offset, now()));
    }

    pub(crate) fn end(&self) {
        let _ = self.0.send(Said::End);
    }
}

/// What waits is written as soon as what was before it has been: no timer, nobody waits for others.
fn write(receiver: &Receiver<Said>) {
    while let Ok(first) = receiver.recv() {
        let mut some = Batch::default();
        let is_open = std::iter::once(first)
            .chain(receiver.try_iter())
            .all(|each| some.take(each));
        let mut out = std::io::stdout().lock();
        let written = out.write_all(some.ended().as_bytes());
        if written.and_then(|()| out.flush()).is_err() || !is_open {
            return;
        }
    }
}

/// Lines to be written together; of the last one so many outcomes are there, and it has no end yet.
#[derive(Default)]
struct Batch {
    text: String,
    telling: usize,
}

impl Batch {
    /// False: it is the end.
    fn take(&mut self, said: Said) -> bool {
        match said {
            Said::Acknowledged(number, offset, at_ns) => self.outcome(number, offset, at_ns),
            Said::Line(line) => {
                self.end_line();
                self.text += &line;
            }
            Said::End => return false,
        }
        true
    }

    fn outcome(&mut self, number: i64, offset: Option<i64>, at_ns: i64) {
        if self.telling == MOST {
            self.end_line();
        }
        let mark = if self.telling == 0 {
            r#"{"event":"ok","records":[["#
        } else {
            ",["
        };
        self.telling += 1;
        let place = offset.map_or_else(|| String::from("null"), |each| each.to_string());
        let _ = write!(self.text, "{mark}{number},{place},{at_ns}]");
    }

    fn end_line(&mut self) {
        if self.telling > 0 {
            self.text += "]}\n";
            self.telling = 0;
        }
    }

    fn ended(mut self) -> String {
        self.end_line();
        self.text
    }
}

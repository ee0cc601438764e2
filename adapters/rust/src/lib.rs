//! What adapters in Rust share: lines, clock, and ids of records. See docs/adapters.md.

mod consuming;
mod lines;
mod member;
mod producer;
mod teller;

pub use consuming::{Consumer, Handed, Place, Positions};
pub use lines::{now, Lines};
pub use member::Member;
pub use producer::{Demand, Failure, Producer, Record};
pub use teller::Teller;

use serde_json::{json, Value};
use std::io::BufRead;
use std::sync::Arc;

pub const ID: &str = "transactional.id";

/// What a client is to be, with settings in Kafka's words: of each one that its library can do.
pub struct Begin(Value);

impl Begin {
    pub fn text(&self, name: &str) -> &str {
        self.0[name].as_str().unwrap_or_default()
    }

    pub fn number(&self, name: &str) -> u64 {
        self.0[name].as_u64().unwrap_or_default()
    }

    /// The name of that by which records of this topic are known.
    pub(crate) fn header(&self, topic: &str) -> Option<&str> {
        self.0["headers"][topic].as_str()
    }

    pub fn topics(&self) -> Vec<&str> {
        let told = self.0["topics"].as_array();
        told.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect()
    }

    /// Names and values, each as a text.
    pub fn settings(&self) -> Vec<(&str, String)> {
        let plain = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), String::from)
        };
        let told = self.0["settings"].as_object();
        told.into_iter()
            .flatten()
            .map(|(name, value)| (name.as_str(), plain(value)))
            .collect()
    }
}

/// A client of Kafka.
pub trait Library {
    /// Its name, its version, and the settings and compressions that it has.
    fn hello(&self) -> Value;
    fn open(&self, begin: &Begin, teller: Arc<Teller>) -> Result<Box<dyn Producer>, String>;
    fn join(&self, begin: &Begin, member: Arc<Member>) -> Result<Box<dyn Consumer>, String>;
}

/// The whole adapter.
pub fn run(library: &dyn Library) {
    let (lines, writer) = Lines::start();
    let mut hello = library.hello();
    hello["protocol"] = json!(1);
    hello["clock"] = json!("monotonic");
    hello["at_ns"] = json!(now());
    hello["capabilities"]["transactions"] = json!([ID, "transaction.timeout.ms"]);
    hello["capabilities"]["flush"] = json!(true);
    hello["capabilities"]["roles"] = json!(["producer", "member"]);
    hello["capabilities"]["headers"] = json!(["producer", "member"]);
    lines.say("hello", hello);
    if let Some(begin) = heard() {
        let begin = Begin(begin);
        let done = match begin.text("role") {
            "member" => consuming::consume(library, &begin, &lines),
            _ => producer::produce(library, &begin, &lines),
        };
        if let Err(text) = done {
            lines.say("fatal", json!({ "text": text }));
            while heard().is_some_and(|told| told["do"] != "stop") {}
        }
    }
    lines.say("ended", json!({}));
    lines.end();
    let _ = writer.join();
    std::process::exit(0); // whatever threads of the library are still there
}

/// The next line; None is the end.
pub(crate) fn heard() -> Option<Value> {
    let mut text = String::new();
    match std::io::stdin().lock().read_line(&mut text) {
        Ok(1..) => Some(serde_json::from_str(&text).expect("expected a line of JSON")),
        _ => None,
    }
}

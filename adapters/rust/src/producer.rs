//! A producer: hands records to its library, and tells the outcome of each.

use crate::{heard, now, Begin, Library, Lines, Teller, ID};
use serde_json::{json, Value};

const TRIES: u32 = 3; // to register: after half a minute nobody waits for it any more

pub struct Record {
    pub number: i64,
    pub topic: String,
    pub partition: i32,
    pub key: Option<String>,
    pub value: String,
    pub header: Option<(String, String)>, // by which it is known: its name, and what it has
}

/// How a library says that something went wrong; `code` is Kafka's, of a broker's answer.
#[derive(Clone)]
pub struct Failure {
    pub name: String,
    pub text: String,
    pub code: Option<i32>,
}

/// A step that was not done: what has to be done then (retry, abort or close), and whether the step
/// may have been done all the same.
pub struct Demand {
    pub failure: Failure,
    pub demands: &'static str,
    pub unconfirmed: bool,
}

pub trait Producer {
    /// Tells the outcome later, by its teller; what its own call does not take is the error.
    fn send(&self, record: Record) -> Result<(), Failure>;
    fn flush(&self) -> Result<(), Failure>;
    /// `register`, `begin`, `commit` or `abort`.
    fn step(&self, step: &str) -> Result<(), Demand>;
}

fn records_of(told: &Value) -> impl Iterator<Item = Record> + '_ {
    let number = |name: &str| told[name].as_i64().unwrap_or_default();
    let text = |value: &Value| value.as_str().map(String::from);
    let values = told["values"].as_array().into_iter().flatten();
    values.enumerate().map(move |(at, value)| Record {
        number: number("first") + at as i64,
        topic: text(&told["topic"]).unwrap_or_default(),
        partition: number("partition") as i32,
        key: text(&told["keys"][at]),
        value: text(value).unwrap_or_default(),
        header: text(&told["header"]).zip(text(&told["headers"][at])),
    })
}

/// Until it is told to stop; an error is what its library says that never can.
pub(crate) fn produce(library: &dyn Library, begin: &Begin, lines: &Lines) -> Result<(), String> {
    let teller = Teller::new(lines);
    let producer = library.open(begin, teller.clone())?;
    let mut tries = 0;
    while begin.settings().iter().any(|(name, _)| *name == ID) {
        tries += 1;
        match producer.step("register") {
            Ok(()) => break,
            Err(Demand {
                failure,
                demands: "retry",
                ..
            }) if tries < TRIES => {
                let text = format!("it could not register yet: {}", failure.text);
                lines.say("complaint", json!({ "text": text }));
            }
            Err(demand) => return Err(demand.failure.text),
        }
    }
    lines.say("ready", json!({}));
    while let Some(told) = heard() {
        match told["do"].as_str().unwrap_or_default() {
            "produce" => records_of(&told).for_each(|each| teller.send(&*producer, each)),
            "transaction" => teller.take(&*producer, told["step"].as_str().unwrap_or_default()),
            "flush" => {
                let mut flushed = producer.flush().map_or_else(
                    |failure| json!({ "error": failure.name, "text": failure.text }),
                    |()| json!({}),
                );
                flushed["at_ns"] = json!(now());
                lines.say("flushed", flushed);
            }
            "stop" => break,
            _ => {}
        }
    }
    let _ = producer.flush(); // what it could not the outcomes say
    teller.await_all();
    Ok(())
}

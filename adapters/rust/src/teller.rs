//! Outcomes of records, and answers to steps, as they are told.

use crate::{now, Demand, Failure, Lines, Producer, Record};
use serde_json::json;
use std::sync::{Arc, Condvar, Mutex};

struct Open {
    records: usize, // without an outcome
    refused: Option<Failure>,
}

/// Is told the outcome of each record, by any thread.
pub struct Teller {
    lines: Lines,
    open: Mutex<Open>,
    ended: Condvar,
}

impl Teller {
    pub(crate) fn new(lines: &Lines) -> Arc<Teller> {
        let open = Mutex::new(Open {
            records: 0,
            refused: None,
        });
        Arc::new(Teller {
            lines: lines.clone(),
            open,
            ended: Condvar::new(),
        })
    }

    pub fn acknowledged(&self, number: i64, offset: Option<i64>) {
        self.lines.acknowledged(number, offset);
        self.end();
    }

    pub fn failed(&self, number: i64, failure: &Failure) {
        self.tell(number, failure, false);
    }

    fn tell(&self, number: i64, failure: &Failure, refused: bool) {
        let Failure { name, text, code } = failure;
        let told = json!({ "error": name, "text": text, "code": code, "retriable": false,
            "refused": refused, "records": [[number, now()]] });
        self.lines.say("error", told);
        self.end();
    }

    fn end(&self) {
        self.open.lock().unwrap().records -= 1;
        self.ended.notify_all();
    }

    pub(crate) fn await_all(&self) {
        let open = self.open.lock().unwrap();
        drop(
            self.ended
                .wait_while(open, |open| open.records > 0)
                .unwrap(),
        );
    }

    pub(crate) fn send(&self, producer: &dyn Producer, record: Record) {
        let number = record.number;
        self.open.lock().unwrap().records += 1;
        if let Err(failure) = producer.send(record) {
            self.open
                .lock()
                .unwrap()
                .refused
                .get_or_insert_with(|| failure.clone());
            self.tell(number, &failure, true);
        }
    }

    /// The library commits without a record that its own call has not taken: it is to be aborted.
    pub(crate) fn take(&self, producer: &dyn Producer, step: &str) {
        let refused = self
            .open
            .lock()
            .unwrap()
            .refused
            .clone()
            .filter(|_| step == "commit");
        let done = match refused {
            Some(failure) => Err(Demand {
                failure,
                demands: "abort",
                unconfirmed: false,
            }),
            None => producer.step(step),
        };
        if done.is_ok() && step != "begin" {
            self.await_all();
            self.open.lock().unwrap().refused = None;
        }
        let mut told = json!({ "step": step, "at_ns": now(), "error": null, "text": "",
            "code": null, "demands": null, "unconfirmed": false });
        if let Err(Demand {
            failure: Failure { name, text, code },
            demands,
            unconfirmed,
        }) = done
        {
            told["error"] = json!(name);
            told["text"] = json!(text);
            told["code"] = json!(code);
            told["demands"] = json!(demands);
            told["unconfirmed"] = json!(unconfirmed);
        }
        self.lines.say("transaction", told);
    }
}

//! Rust's rdkafka for Highwater, see docs/adapters.md.

mod member;
mod producer;

use rdkafka::config::ClientConfig;
use rdkafka::error::KafkaError;
use serde_json::{json, Value};
use std::sync::Arc;
use talk::{Begin, Consumer, Failure, Library, Member, Producer, Teller};

const SETTINGS: [&str; 11] = [
    "acks",
    "enable.idempotence",
    "retries",
    "linger.ms",
    "compression.type",
    "delivery.timeout.ms",
    "request.timeout.ms",
    "batch.size",
    "max.request.size",
    "max.in.flight.requests.per.connection",
    "batch.num.messages",
];

struct Rdkafka;

impl Library for Rdkafka {
    fn hello(&self) -> Value {
        json!({ "library": "rdkafka", "version": version(), "capabilities": {
            "settings": SETTINGS, "pipelines": true, "keeps_order": true,
            "compression": ["gzip", "snappy", "lz4"], "member": member::SETTINGS } })
    }

    fn open(&self, begin: &Begin, teller: Arc<Teller>) -> Result<Box<dyn Producer>, String> {
        producer::open(config_of(begin), teller)
    }

    fn join(&self, begin: &Begin, member: Arc<Member>) -> Result<Box<dyn Consumer>, String> {
        member::join(config_of(begin), begin, member)
    }
}

/// Of its crate, which is in the lock; that says which librdkafka it has.
fn version() -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let (_, after) = lock
        .split_once("name = \"rdkafka\"\nversion = \"")
        .unwrap_or_default();
    after.split('"').next().unwrap_or_default()
}

/// With librdkafka's names for Kafka's settings, where they are others.
fn config_of(begin: &Begin) -> ClientConfig {
    let mut config = ClientConfig::new();
    for (name, value) in begin.settings() {
        let own = match name {
            "max.request.size" => "message.max.bytes",
            "request.timeout.ms" => "socket.timeout.ms",
            "metadata.max.age.ms" => "topic.metadata.refresh.interval.ms",
            other => other,
        };
        config.set(own, value);
    }
    config
        .set("bootstrap.servers", begin.text("bootstrap"))
        .set("client.id", begin.text("client"));
    config
}

/// Codes below 0 are the library's own.
fn failure(error: &KafkaError) -> Failure {
    let (name, code) = match (error, error.rdkafka_error_code()) {
        (KafkaError::Transaction(told), _) => (told.name(), Some(told.code() as i32)),
        (_, Some(code)) => (format!("{code:?}"), Some(code as i32)),
        _ => ("KafkaError".to_string(), None),
    };
    Failure {
        name,
        text: error.to_string(),
        code: code.filter(|code| *code > 0),
    }
}

fn main() {
    talk::run(&Rdkafka);
}

//! A producer by rdkafka: its own threads poll it, and tell what has become of records.

use crate::failure;
use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{
    BaseRecord, DeliveryResult, Producer as _, ProducerContext, ThreadedProducer,
};
use rdkafka::util::Timeout;
use rdkafka::{ClientContext, Message};
use std::sync::Arc;
use std::time::Duration;
use talk::{Demand, Failure, Producer, Record, Teller, ID};

const STEP: Duration = Duration::from_secs(10); // told again, it goes on where it was
const SOCKET_MS: u64 = 60_000; // the library's own

pub fn open(mut config: ClientConfig, teller: Arc<Teller>) -> Result<Box<dyn Producer>, String> {
    let number = |name: &str| config.get(name).and_then(|told| told.parse::<u64>().ok());
    if let (Some(_), Some(most)) = (config.get(ID), number("transaction.timeout.ms")) {
        let asked = number("socket.timeout.ms").unwrap_or(SOCKET_MS);
        config.set("socket.timeout.ms", asked.min(most - 100).to_string()); // else it is refused
    }
    let producer = config.create_with_context(Deliveries(teller));
    Ok(Box::new(Threaded(
        producer.map_err(|error| error.to_string())?,
    )))
}

struct Deliveries(Arc<Teller>);

impl ClientContext for Deliveries {}

impl ProducerContext for Deliveries {
    type DeliveryOpaque = Box<i64>;

    fn delivery(&self, delivered: &DeliveryResult<'_>, number: Box<i64>) {
        match delivered {
            Ok(message) => {
                let offset = message.offset();
                self.0
                    .acknowledged(*number, (offset >= 0).then_some(offset));
            }
            Err((error, _)) => self.0.failed(*number, &failure(error)),
        }
    }
}

struct Threaded(ThreadedProducer<Deliveries>);

impl Producer for Threaded {
    fn send(&self, record: Record) -> Result<(), Failure> {
        let told = BaseRecord::with_opaque_to(&record.topic, Box::new(record.number));
        let mut told = told.partition(record.partition).payload(&record.value);
        told.key = record.key.as_ref();
        if let Some((key, value)) = &record.header {
            let header = Header {
                key,
                value: Some(value),
            };
            told = told.headers(OwnedHeaders::new().insert(header));
        }
        self.0.send(told).map_err(|(error, _)| failure(&error))
    }

    fn flush(&self) -> Result<(), Failure> {
        self.0
            .flush(Timeout::Never)
            .map_err(|error| failure(&error))
    }

    fn step(&self, step: &str) -> Result<(), Demand> {
        let done = match step {
            "register" => self.0.init_transactions(STEP),
            "begin" => self.0.begin_transaction(),
            "commit" => self.0.commit_transaction(STEP),
            _ => self.0.abort_transaction(STEP),
        };
        done.map_err(|error| demanded(&error))
    }
}

/// As errors of the library say of themselves.
fn demanded(error: &KafkaError) -> Demand {
    let demands = match error {
        KafkaError::Transaction(told) if told.txn_requires_abort() => "abort",
        KafkaError::Transaction(told) if told.is_fatal() => "close",
        KafkaError::Transaction(told)
            if told.is_retriable() || told.code() == RDKafkaErrorCode::OperationTimedOut =>
        {
            "retry"
        }
        _ => "close",
    };
    Demand {
        failure: failure(error),
        demands,
        unconfirmed: demands != "abort",
    }
}

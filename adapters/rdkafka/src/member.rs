//! A member of a group by rdkafka: see rust/src/member.rs.

use crate::failure;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer as _, ConsumerContext, Rebalance};
use rdkafka::error::KafkaError;
use rdkafka::message::Headers;
use rdkafka::{ClientContext, Message, Offset, TopicPartitionList};
use std::sync::Arc;
use std::time::Duration;
use talk::{Begin, Consumer, Failure, Handed, Member, Place, Positions};

pub const SETTINGS: [&str; 7] = [
    "auto.offset.reset",
    "isolation.level",
    "session.timeout.ms",
    "group.instance.id",
    "metadata.max.age.ms",
    "group.protocol",
    "max.poll.interval.ms",
];

pub fn join(
    mut config: ClientConfig,
    begin: &Begin,
    member: Arc<Member>,
) -> Result<Box<dyn Consumer>, String> {
    config
        .set("group.id", begin.text("group"))
        .set("enable.auto.commit", "false");
    let consumer = config.create_with_context(Rebalances(member));
    Ok(Box::new(Polled(
        consumer.map_err(|error| error.to_string())?,
    )))
}

struct Rebalances(Arc<Member>);

impl ClientContext for Rebalances {}

impl ConsumerContext for Rebalances {
    fn pre_rebalance(&self, consumer: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Revoke(list) = rebalance {
            let commit = |positions: &Positions| commit(consumer, positions);
            let is_lost = consumer.assignment_lost();
            self.0
                .left(places(list), if is_lost { None } else { Some(&commit) });
        }
    }

    fn post_rebalance(&self, _: &BaseConsumer<Self>, rebalance: &Rebalance<'_>) {
        if let Rebalance::Assign(list) = rebalance {
            self.0.assigned(places(list));
        }
    }
}

struct Polled(BaseConsumer<Rebalances>);

impl Consumer for Polled {
    fn subscribe(&self, topics: &[&str]) -> Result<(), String> {
        self.0.subscribe(topics).map_err(|error| error.to_string())
    }

    fn poll(&self, mut wait: Duration, most: usize) -> Result<Vec<Handed>, String> {
        let mut some = vec![];
        while some.len() < most {
            let message = match self.0.poll(wait) {
                Some(Ok(message)) => message,
                Some(Err(KafkaError::MessageConsumptionFatal(code))) => {
                    return Err(code.to_string());
                }
                _ => break,
            };
            let text = |told: &[u8]| String::from_utf8_lossy(told).into_owned();
            let headers = message.headers().into_iter().flat_map(|some| some.iter());
            some.push(Handed {
                place: (message.topic().to_string(), message.partition()),
                offset: message.offset(),
                value: message.payload().map(text),
                key: message.key().map(text),
                headers: headers
                    .map(|each| (each.key.to_string(), each.value.map(text)))
                    .collect(),
            });
            wait = Duration::ZERO; // what has come already
        }
        Ok(some)
    }

    fn commit(&self, positions: &Positions) -> Result<(), Failure> {
        commit(&self.0, positions)
    }

    fn positions(&self) -> Positions {
        let list = self.0.position().unwrap_or_default();
        let elements = list.elements();
        let found = elements.iter().filter_map(|each| match each.offset() {
            Offset::Offset(at) => Some(((each.topic().to_string(), each.partition()), at)),
            _ => None,
        });
        found.collect()
    }
}

fn commit(consumer: &BaseConsumer<Rebalances>, positions: &Positions) -> Result<(), Failure> {
    let mut list = TopicPartitionList::new();
    for ((topic, partition), at) in positions {
        let added = list.add_partition_offset(topic, *partition, Offset::Offset(*at));
        added.map_err(|error| failure(&error))?;
    }
    consumer
        .commit(&list, CommitMode::Sync)
        .map_err(|error| failure(&error))
}

fn places(list: &TopicPartitionList) -> Vec<Place> {
    list.elements()
        .iter()
        .map(|each| (each.topic().to_string(), each.partition()))
        .collect()
}

"""What says nothing of the partition that a record was sent to, in the words of each library."""

from __future__ import annotations

import pytest

from highwater.harness.refusals import is_of_the_record

OF_THE_RECORD = (
    'KafkaError{code=MSG_SIZE_TOO_LARGE,val=10,str="Broker: Message size too large"}',
    "MessageSizeTooLarge: Message production error: MessageSizeTooLarge",  # rdkafka
    "MessageSizeTooLargeError: The message is 2000000 bytes when serialized",  # kafka-python
    "RecordTooLargeException: The message is 2000088 bytes when serialized",
    "RecordBatchTooLargeException: The request included message batch larger than the configured",
    "MESSAGE_TOO_LARGE: MESSAGE_TOO_LARGE: The request included a message larger than the max",
    "KError: kafka server: Message was too large, server rejected it to avoid allocation error",
    "sarama.ConfigurationError: kafka: invalid (Attempt to produce message larger than",
    "kafka.Error: [10] Message Size Too Large: the server has a configurable maximum message size",
    "KafkaJSProtocolError: The request included a message larger than the max message size",
    "KError: kafka server: The client is not authorized to access this topic",
    "TopicAuthorizationException: Not authorized to access topics: [orders]",
    "kafka.Error: [29] Topic Authorization Failed: the client is not authorized",
    "TOPIC_AUTHORIZATION_FAILED",
    "KError: kafka server: This record has failed the validation on the broker and hence",
    "InvalidTopicException: Invalid topics: [or ders]",
    "PolicyViolationException: none",
    "TopicAuthorizationException: Not authorized to access topics: [session-timeouts]",
    "The message is 2000000 bytes when serialized which is larger than 1048576, which is the value",
)
OF_THE_PARTITION = (
    None,
    "",
    "NOT_ENOUGH_REPLICAS",
    'KafkaError{code=_MSG_TIMED_OUT,val=-192,str="Local: Message timed out"}',
    "KafkaTimeoutError: Failed to update metadata after 60.0 secs.",
    "Expiring 1 record(s) for policy-violations-0:120004 ms has passed since batch creation",
    "NotEnoughReplicasException: requirement of 2 for partition serialization-0",
    "Topic serialization-events not present in metadata after 60000 ms.",
    "TimeoutException: Topic policy-violations not present in metadata after 60000 ms.",
    "TimeoutException: Expiring 1 record(s) for invalid-topics-0:120000 ms has passed since batch",
    "KafkaTimeoutError: Batch for TopicPartition(topic='serialization', partition=0) expired",
)


@pytest.mark.parametrize("error", OF_THE_RECORD)
def test_a_record_is_refused_for_its_own_sake_in_the_words_of_each_library(error: str) -> None:
    assert is_of_the_record(error)


@pytest.mark.parametrize("error", OF_THE_PARTITION)
def test_who_has_waited_in_vain_is_not_whatever_the_topic_is_called(error: str | None) -> None:
    assert not is_of_the_record(error)

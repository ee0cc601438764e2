import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;

/** What a member has to commit, and does. */
class Commits {
    final KafkaConsumer<byte[], byte[]> consumer;
    final Map<TopicPartition, Long> ends = new HashMap<>(); // positions that are not committed yet

    Commits(KafkaConsumer<byte[], byte[]> consumer) {
        this.consumer = consumer;
    }

    void commit(boolean isAwaited) {
        if (ends.isEmpty()) return;
        Map<TopicPartition, OffsetAndMetadata> asked = new HashMap<>();
        ends.forEach((place, end) -> asked.put(place, new OffsetAndMetadata(end)));
        String offsets = positions(ends);
        ends.clear();
        Lines.say("commit", "\"at_ns\":" + System.nanoTime() + "," + offsets);
        if (!isAwaited) {
            consumer.commitAsync(asked, (done, error) -> committed(offsets, error));
            return;
        }
        Exception error = null;
        try {
            consumer.commitSync(asked);
        } catch (RuntimeException wrong) {
            error = wrong;
        }
        committed(offsets, error);
    }

    static void committed(String offsets, Exception error) {
        short code = error == null ? 0 : Errors.forException(error).code();
        if (error != null) Lines.say("complaint", "\"text\":" + Lines.quoted("a commit was answered by " + error));
        Lines.say("committed", "\"at_ns\":" + System.nanoTime() + "," + offsets + ",\"error\":"
            + (error == null ? null : Lines.quoted(error.getClass().getSimpleName())) + ",\"code\":"
            + (code <= 0 ? null : code));
    }

    static String positions(Map<TopicPartition, Long> of) {
        StringJoiner named = new StringJoiner(",");
        of.forEach((place, position) -> named.add("[" + named(place) + "," + position + "]"));
        return "\"offsets\":[" + named + "]";
    }

    /** Offsets that follow upon each other: the first, and one past the last. */
    static void addSpans(List<ConsumerRecord<byte[], byte[]>> records, TopicPartition place, StringJoiner spans) {
        long first = records.get(0).offset(), end = first;
        for (var each : records) {
            if (each.offset() != end) spans.add("[" + named(place) + "," + first + "," + end + "]");
            if (each.offset() != end) first = each.offset();
            end = each.offset() + 1;
        }
        spans.add("[" + named(place) + "," + first + "," + end + "]");
    }

    static String named(TopicPartition place) {
        return Lines.quoted(place.topic()) + "," + place.partition();
    }
}

import java.io.BufferedReader;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a group: polls, processes what it is handed, and commits it. */
class Member implements ConsumerRebalanceListener {
    static final List<String> WORDS = List.of(("auto.offset.reset isolation.level session.timeout.ms group.instance.id "
        + "group.protocol metadata.max.age.ms max.poll.interval.ms").split(" "));
    static final long POLL_MS = 50, COMMIT_NS = 200_000_000L, TOLD_NS = 100_000_000L;
    final KafkaConsumer<byte[], byte[]> consumer;
    final boolean isFirst;
    final long processingUs;
    final Map<TopicPartition, Long> ends = new HashMap<>(), told = new HashMap<>(); // processed and not committed; positions
    final Set<TopicPartition> held = new HashSet<>();
    volatile long busyUs; // of the next poll, before what that hands out is processed
    volatile boolean isStopping;

    Member(Map<?, ?> begin) {
        Properties settings = new Properties();
        ((Map<?, ?>) begin.get("settings")).forEach((name, value) -> settings.put(name, String.valueOf(value)));
        settings.put("bootstrap.servers", begin.get("bootstrap"));
        settings.put("client.id", begin.get("client"));
        settings.put("group.id", begin.get("group"));
        settings.put("enable.auto.commit", "false");
        settings.put("max.poll.records", String.valueOf(begin.get("at_once")));
        settings.put("default.api.timeout.ms", "30000"); // who is told to stop ends within 45 s
        isFirst = begin.get("commits").equals("before");
        processingUs = (Long) begin.get("processing_us");
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    static void run(BufferedReader in, Map<?, ?> begin) throws Exception {
        Member member = new Member(begin);
        Thread listener = new Thread(() -> member.listen(in));
        listener.setDaemon(true);
        listener.start();
        List<String> topics = new ArrayList<>();
        ((List<?>) begin.get("topics")).forEach(each -> topics.add((String) each));
        member.consumer.subscribe(topics, member);
        Adapter.say("ready", "");
        long committed = System.nanoTime(), told = committed;
        while (!member.isStopping) {
            member.some();
            if (System.nanoTime() - committed >= COMMIT_NS) {
                member.commit(false);
                committed = System.nanoTime();
            }
            if (System.nanoTime() - told < TOLD_NS) continue;
            member.tell();
            told = System.nanoTime();
        }
        member.commit(true);
        member.consumer.close();
    }

    void listen(BufferedReader in) {
        try {
            for (String line = in.readLine(); line != null && !line.contains("\"stop\""); line = in.readLine()) {
                Map<?, ?> told = (Map<?, ?>) Adapter.value(line, new int[1]);
                if ("busy".equals(told.get("do"))) busyUs = (Long) told.get("for_us");
            }
        } catch (java.io.IOException error) {
            System.err.println(error);
        }
        isStopping = true;
    }

    @SuppressWarnings("unchecked")
    ConsumerRecords<byte[], byte[]> poll() throws Exception {
        try {
            Method poll = KafkaConsumer.class.getMethod("poll", Duration.class);
            return (ConsumerRecords<byte[], byte[]>) poll.invoke(consumer, Duration.ofMillis(POLL_MS));
        } catch (NoSuchMethodException before20) {
            return (ConsumerRecords<byte[], byte[]>)
                KafkaConsumer.class.getMethod("poll", long.class).invoke(consumer, POLL_MS);
        }
    }

    void some() throws Exception {
        ConsumerRecords<byte[], byte[]> handed = poll();
        String at = "\"at_ns\":" + System.nanoTime();
        Map<TopicPartition, Long> reached = new HashMap<>();
        for (TopicPartition place : handed.partitions()) {
            StringJoiner records = new StringJoiner(",");
            for (var each : handed.records(place)) {
                records.add("[" + each.offset() + "," + text(each.value()) + "," + text(each.key()) + "]");
                reached.put(place, each.offset() + 1);
            }
            Adapter.say("polled", at + ",\"topic\":" + Adapter.quoted(place.topic()) + ",\"partition\":"
                + place.partition() + ",\"records\":[" + records + "]");
        }
        if (isFirst) ends.putAll(reached);
        if (isFirst) commit(true);
        long ownUs = busyUs;
        busyUs = 0;
        if (processingUs + ownUs > 0) Thread.sleep((processingUs * handed.count() + ownUs) / 1000);
        StringJoiner spans = new StringJoiner(",");
        for (TopicPartition place : handed.partitions()) addSpans(handed.records(place), place, spans);
        if (spans.length() > 0) Adapter.say("processed", "\"at_ns\":" + System.nanoTime() + ",\"offsets\":[" + spans + "]");
        if (!isFirst) ends.putAll(reached);
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

    void commit(boolean isAwaited) {
        if (ends.isEmpty()) return;
        Map<TopicPartition, OffsetAndMetadata> asked = new HashMap<>();
        ends.forEach((place, end) -> asked.put(place, new OffsetAndMetadata(end)));
        String offsets = positions(ends);
        ends.clear();
        Adapter.say("commit", "\"at_ns\":" + System.nanoTime() + "," + offsets);
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
        if (error != null) Adapter.say("complaint", "\"text\":" + Adapter.quoted("a commit was answered by " + error));
        Adapter.say("committed", "\"at_ns\":" + System.nanoTime() + "," + offsets + ",\"error\":"
            + (error == null ? null : Adapter.quoted(error.getClass().getSimpleName())) + ",\"code\":"
            + (code <= 0 ? null : code));
    }

    /** How far it has got: over what nobody is handed as well. */
    void tell() {
        Map<TopicPartition, Long> moved = new HashMap<>();
        for (TopicPartition place : told.keySet()) {
            long position = consumer.position(place);
            if (position != told.put(place, position)) moved.put(place, position);
        }
        held.forEach(place -> told.putIfAbsent(place, -1L));
        if (!moved.isEmpty()) Adapter.say("reached", positions(moved));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        held.addAll(assigned);
        dealt("assigned", assigned);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        commit(true); // before somebody else gets them: what was processed here is not to be repeated
        left("revoked", revoked);
    }

    public void onPartitionsLost(Collection<TopicPartition> lost) { // from 2.4 on
        ends.keySet().removeAll(lost);
        left("lost", lost);
    }

    void left(String event, Collection<TopicPartition> places) {
        held.removeAll(places);
        told.keySet().removeAll(places);
        ends.keySet().removeAll(places);
        dealt(event, places);
    }

    void dealt(String event, Collection<TopicPartition> places) {
        StringJoiner named = new StringJoiner(",");
        for (TopicPartition each : places) named.add("[" + named(each) + "]");
        Adapter.say(event, "\"at_ns\":" + System.nanoTime() + ",\"partitions\":[" + named + "],\"generation\":" + generation());
    }

    Object generation() {
        try { // from 2.5 on
            Object metadata = KafkaConsumer.class.getMethod("groupMetadata").invoke(consumer);
            int number = (Integer) metadata.getClass().getMethod("generationId").invoke(metadata);
            return number < 0 ? null : number;
        } catch (ReflectiveOperationException before25) {
            return null;
        }
    }

    static String positions(Map<TopicPartition, Long> of) {
        StringJoiner named = new StringJoiner(",");
        of.forEach((place, position) -> named.add("[" + named(place) + "," + position + "]"));
        return "\"offsets\":[" + named + "]";
    }

    static String named(TopicPartition place) {
        return Adapter.quoted(place.topic()) + "," + place.partition();
    }

    static String text(byte[] told) {
        return told == null ? null : Adapter.quoted(new String(told, StandardCharsets.UTF_8));
    }
}

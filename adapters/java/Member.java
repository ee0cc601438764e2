import java.io.BufferedReader;
import java.util.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A member of a group: polls, processes what it is handed, and commits it. */
class Member implements ConsumerRebalanceListener {
    static final List<String> WORDS = List.of(("auto.offset.reset isolation.level session.timeout.ms group.instance.id "
        + "group.protocol metadata.max.age.ms max.poll.interval.ms enable.auto.commit auto.commit.interval.ms "
        + "partition.assignment.strategy").split(" "));
    static final Map<String, String> ASSIGNORS = Map.of("range", "RangeAssignor", "roundrobin", "RoundRobinAssignor",
        "sticky", "StickyAssignor", "cooperative-sticky", "CooperativeStickyAssignor");
    static final long POLL_MS = 50, COMMIT_NS = 200_000_000L, TOLD_NS = 100_000_000L;
    final KafkaConsumer<byte[], byte[]> consumer;
    final boolean isFirst, isAutomatic; // it commits before it processes; its library commits
    final long processingUs;
    final Map<?, ?> headers; // by which records are known: names by topics
    final Commits commits;
    final Map<TopicPartition, Long> told = new HashMap<>(); // positions
    final Set<TopicPartition> held = new HashSet<>();
    volatile long busyUs; // of the next poll, before what that hands out is processed
    volatile boolean isStopping;

    Member(Map<?, ?> begin) throws Exception {
        Properties settings = Adapter.settings(begin);
        settings.put("group.id", begin.get("group"));
        settings.putIfAbsent("enable.auto.commit", "false");
        settings.put("max.poll.records", String.valueOf(begin.get("at_once")));
        settings.put("default.api.timeout.ms", "30000"); // who is told to stop ends within 45 s
        settings.computeIfPresent("partition.assignment.strategy",
            (name, told) -> "org.apache.kafka.clients.consumer." + ASSIGNORS.get(told));
        isFirst = begin.get("commits").equals("before");
        isAutomatic = begin.get("commits").equals("auto");
        processingUs = (Long) begin.get("processing_us");
        headers = begin.get("headers") == null ? Map.of() : (Map<?, ?>) begin.get("headers");
        consumer = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        commits = new Commits(consumer);
    }

    static void run(BufferedReader in, Map<?, ?> begin) throws Exception {
        Member member = new Member(begin);
        Thread listener = new Thread(() -> member.listen(in));
        listener.setDaemon(true);
        listener.start();
        List<String> topics = new ArrayList<>();
        ((List<?>) begin.get("topics")).forEach(each -> topics.add((String) each));
        member.consumer.subscribe(topics, member);
        Lines.say("ready", "");
        long committed = System.nanoTime(), told = committed;
        while (!member.isStopping) {
            member.some();
            if (System.nanoTime() - committed >= COMMIT_NS) {
                member.commits.commit(false);
                committed = System.nanoTime();
            }
            if (System.nanoTime() - told < TOLD_NS) continue;
            member.tell();
            told = System.nanoTime();
        }
        member.commits.commit(true);
        member.consumer.close();
    }

    void listen(BufferedReader in) {
        try {
            for (String line = in.readLine(); line != null && !line.contains("\"stop\""); line = in.readLine()) {
                Map<?, ?> told = (Map<?, ?>) Lines.value(line, new int[1]);
                if ("busy".equals(told.get("do"))) busyUs = (Long) told.get("for_us");
            }
        } catch (java.io.IOException error) {
            System.err.println(error);
        }
        isStopping = true;
    }

    void some() throws Exception {
        ConsumerRecords<byte[], byte[]> handed = Releases.poll(consumer, POLL_MS);
        String at = "\"at_ns\":" + System.nanoTime();
        Map<TopicPartition, Long> reached = new HashMap<>();
        for (TopicPartition place : handed.partitions()) {
            StringJoiner records = new StringJoiner(",");
            Object header = headers.get(place.topic());
            for (var each : handed.records(place)) {
                records.add("[" + each.offset() + "," + Lines.text(each.value()) + "," + Lines.text(each.key())
                    + (header == null ? "" : "," + Headers.told(each, header)) + "]");
                reached.put(place, each.offset() + 1);
            }
            Lines.say("polled", at + ",\"topic\":" + Lines.quoted(place.topic()) + ",\"partition\":"
                + place.partition() + ",\"records\":[" + records + "]");
        }
        if (isFirst) commits.ends.putAll(reached);
        if (isFirst) commits.commit(true);
        long ownUs = busyUs;
        busyUs = 0;
        if (processingUs + ownUs > 0) Thread.sleep((processingUs * handed.count() + ownUs) / 1000);
        StringJoiner spans = new StringJoiner(",");
        for (TopicPartition place : handed.partitions()) Commits.addSpans(handed.records(place), place, spans);
        if (spans.length() > 0) Lines.say("processed", "\"at_ns\":" + System.nanoTime() + ",\"offsets\":[" + spans + "]");
        if (!isFirst && !isAutomatic) commits.ends.putAll(reached);
    }

    /** How far it has got: over what nobody is handed as well. */
    void tell() {
        Map<TopicPartition, Long> moved = new HashMap<>();
        for (TopicPartition place : told.keySet()) {
            long position = consumer.position(place);
            if (position != told.put(place, position)) moved.put(place, position);
        }
        held.forEach(place -> told.putIfAbsent(place, -1L));
        if (!moved.isEmpty()) Lines.say("reached", Commits.positions(moved));
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
        held.addAll(assigned);
        dealt("assigned", assigned);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
        commits.commit(true); // before somebody else gets them: what was processed here is not to be repeated
        left("revoked", revoked);
    }

    public void onPartitionsLost(Collection<TopicPartition> lost) { // from 2.4 on
        commits.ends.keySet().removeAll(lost);
        left("lost", lost);
    }

    void left(String event, Collection<TopicPartition> places) {
        held.removeAll(places);
        told.keySet().removeAll(places);
        commits.ends.keySet().removeAll(places);
        dealt(event, places);
    }

    void dealt(String event, Collection<TopicPartition> places) {
        StringJoiner named = new StringJoiner(",");
        for (TopicPartition each : places) named.add("[" + Commits.named(each) + "]");
        Lines.say(event, "\"at_ns\":" + System.nanoTime() + ",\"partitions\":[" + named + "],\"generation\":"
            + Releases.generation(consumer));
    }
}

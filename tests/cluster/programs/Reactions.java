import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * What an application sees of Kafka's Java client: a line "STORY API BOOTSTRAP NAME" begins a story with
 * a topic, a client.id, a group and a transactional.id of this name. It says "ready" when an error may be
 * put in the place of an answer, goes on at a line, says "got VALUE" of records, and ends with "done KIND
 * ERROR AFTER": what was told, by which name, and what the same client can do afterwards.
 */
public class Reactions {
    private static final BufferedReader IN = new BufferedReader(new InputStreamReader(System.in));
    private static String kind;
    private static String told;
    private static String after;

    public static void main(String[] args) throws Exception {
        for (String line = IN.readLine(); line != null; line = IN.readLine()) {
            String[] said = line.split(" ");
            kind = "none";
            told = "-";
            after = "ok";
            switch (said[0]) {
                case "start" -> producing(said[2], said[3], true, true);
                case "plain" -> producing(said[2], said[3], false, false);
                case "produce" -> producing(said[2], said[3], true, false);
                case "transaction" -> transaction(said[2], said[3], false);
                case "transactional-start" -> transaction(said[2], said[3], true);
                default -> member(said[0], said[1], said[2], said[3]);
            }
            System.out.println("done " + kind + " " + told + " " + after);
        }
    }

    private static void ready() throws IOException {
        System.out.println("ready");
        IN.readLine();
    }

    private static Properties settings(String bootstrap, String name) {
        Properties its = new Properties();
        its.put("bootstrap.servers", bootstrap);
        its.put("client.id", name);
        its.put("request.timeout.ms", "4000");
        its.put("default.api.timeout.ms", "15000");
        return its;
    }

    private static KafkaProducer<String, String> producer(Properties its) {
        its.put("acks", "all");
        its.put("delivery.timeout.ms", "15000");
        its.put("max.block.ms", "15000");
        return new KafkaProducer<>(its, new StringSerializer(), new StringSerializer());
    }

    private static String named(Throwable error) {
        Throwable cause = error instanceof ExecutionException ? error.getCause() : error;
        Errors known = Errors.forException(cause);
        return known == Errors.UNKNOWN_SERVER_ERROR ? cause.getClass().getSimpleName() : known.name();
    }

    private static void producing(String bootstrap, String name, boolean idempotent, boolean atStart) throws Exception {
        Properties its = settings(bootstrap, name);
        its.put("enable.idempotence", String.valueOf(idempotent));
        if (atStart) {
            ready();
        }
        try (KafkaProducer<String, String> producer = producer(its)) {
            if (!atStart) {
                producer.send(new ProducerRecord<>(name, "first")).get();
                ready();
            }
            try {
                producer.send(new ProducerRecord<>(name, "second")).get();
            } catch (ExecutionException | KafkaException refused) {
                told = named(refused);
                Throwable cause = refused instanceof ExecutionException ? refused.getCause() : refused;
                kind = cause instanceof RetriableException ? "retriable" : "told";
            }
            try {
                producer.send(new ProducerRecord<>(name, "third")).get();
            } catch (ExecutionException | KafkaException refused) {
                after = named(refused);
                kind = "fatal";
            }
        }
    }

    private static void transaction(String bootstrap, String name, boolean atStart) throws Exception {
        Properties its = settings(bootstrap, name);
        its.put("transactional.id", name);
        its.put("transaction.timeout.ms", "30000");
        try (KafkaProducer<String, String> producer = producer(its)) {
            if (atStart) {
                ready();
            }
            try {
                producer.initTransactions();
            } catch (KafkaException refused) {
                kind = "told";
                told = named(refused);
            }
            if (!atStart) {
                committed(producer, name);
                ready();
            }
            try {
                committed(producer, name);
            } catch (KafkaException | IllegalStateException refused) { // the second one where it has not begun
                told = kind.equals("told") ? told : named(refused);
                kind = "abortable";
                afterAbort(producer, name);
            }
        }
    }

    private static void afterAbort(KafkaProducer<String, String> producer, String name) {
        try {
            producer.abortTransaction();
            committed(producer, name);
        } catch (KafkaException | IllegalStateException refused) {
            kind = "fatal";
            after = named(refused);
        }
    }

    private static void committed(KafkaProducer<String, String> producer, String name) {
        producer.beginTransaction();
        producer.send(new ProducerRecord<>(name, "within"));
        producer.flush();
        Map<TopicPartition, OffsetAndMetadata> place = Map.of(new TopicPartition(name, 0), new OffsetAndMetadata(0));
        producer.sendOffsetsToTransaction(place, new ConsumerGroupMetadata(name));
        producer.commitTransaction();
    }

    private static void member(String story, String api, String bootstrap, String name) throws Exception {
        Properties its = settings(bootstrap, name);
        its.put("group.id", name);
        its.put("group.protocol", story.equals("modern-member") ? "consumer" : "classic");
        its.put("auto.offset.reset", "earliest");
        its.put("enable.auto.commit", "false");
        if (story.equals("member")) {
            its.put("heartbeat.interval.ms", "500");
            its.put("session.timeout.ms", "8000");
        }
        boolean atStart = List.of("JoinGroup", "SyncGroup", "FindCoordinator", "OffsetFetch", "ListOffsets").contains(api);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(its, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of(name));
            if (!atStart) {
                while (poll(consumer) == 0) {
                    continue;
                }
            }
            ready();
            if (api.equals("OffsetCommit")) {
                try {
                    consumer.commitSync();
                } catch (KafkaException refused) {
                    tell(refused);
                }
            }
            while (!IN.ready()) {
                try {
                    poll(consumer);
                } catch (KafkaException refused) {
                    tell(refused);
                }
            }
            IN.readLine();
        }
    }

    private static void tell(KafkaException refused) {
        told = named(refused);
        kind = refused instanceof RetriableException ? "retriable" : "told";
    }

    private static int poll(KafkaConsumer<String, String> consumer) {
        int count = 0;
        for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
            System.out.println("got " + each.value());
            count += 1;
        }
        return count;
    }
}

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** One bill for each order, in Java; the bill says in a header which order it is of. */
public class Billing {
    static final String GROUP = "billing", TEXT = "org.apache.kafka.common.serialization.String";

    public static void main(String[] words) throws Exception {
        String orders = words[0], bills = words[1];
        boolean within = words[2].equals("within"), before = words[2].equals("before");
        Properties read = new Properties(), write = new Properties();
        for (Properties each : List.of(read, write)) {
            each.put("bootstrap.servers", System.getenv("BOOTSTRAP"));
        }
        read.put("group.id", GROUP);
        read.put("enable.auto.commit", "false");
        read.put("auto.offset.reset", "earliest");
        read.put("isolation.level", "read_committed");
        read.put("session.timeout.ms", "6000");
        read.put("heartbeat.interval.ms", "1000");
        read.put("max.poll.records", "100");
        read.put("key.deserializer", TEXT + "Deserializer");
        read.put("value.deserializer", TEXT + "Deserializer");
        write.put("key.serializer", TEXT + "Serializer");
        write.put("value.serializer", TEXT + "Serializer");
        if (within) {
            write.put("transactional.id", GROUP);
        }
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(read);
                KafkaProducer<String, String> producer = new KafkaProducer<>(write)) {
            if (within) {
                producer.initTransactions();
            }
            consumer.subscribe(List.of(orders));
            System.out.println("reads " + orders);
            while (true) {
                ConsumerRecords<String, String> records = consumer.poll(Duration.ofMillis(200));
                if (!records.isEmpty()) {
                    if (before) {
                        consumer.commitSync();
                    }
                    bill(consumer, producer, records, bills, within);
                }
            }
        }
    }

    static void bill(
            KafkaConsumer<String, String> consumer,
            KafkaProducer<String, String> producer,
            ConsumerRecords<String, String> records,
            String bills,
            boolean within)
            throws Exception {
        if (within) {
            producer.beginTransaction();
        }
        Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (ConsumerRecord<String, String> each : records) {
            ProducerRecord<String, String> bill = new ProducerRecord<>(bills, each.key(), "17");
            bill.headers().add("order", each.value().getBytes());
            sent.add(producer.send(bill)); // one after the other, and none waits for the one before
            Thread.sleep(5);
            TopicPartition where = new TopicPartition(each.topic(), each.partition());
            done.put(where, new OffsetAndMetadata(each.offset() + 1));
        }
        for (Future<RecordMetadata> each : sent) {
            each.get();
        }
        if (within) {
            producer.sendOffsetsToTransaction(done, consumer.groupMetadata());
            producer.commitTransaction();
        } else {
            consumer.commitSync(done);
        }
        System.out.println("{\"billed\": " + records.count() + "}");
    }
}

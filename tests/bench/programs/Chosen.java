import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends bursts of records without a key, and says to which partition each went, a line a burst.
 * The last line is of records with the keys "key-000", "key-001" ...
 */
public class Chosen {
    public static void main(String[] words) throws Exception {
        int bursts = Integer.parseInt(words[2]), records = Integer.parseInt(words[3]), keys = Integer.parseInt(words[5]);
        Properties settings = new Properties();
        settings.put("bootstrap.servers", words[0]);
        settings.put("linger.ms", "20");
        ByteArraySerializer bytes = new ByteArraySerializer();
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(settings, bytes, bytes)) {
            producer.partitionsFor(words[1]);
            byte[] value = new byte[Integer.parseInt(words[4])];
            for (int burst = 0; burst < bursts; burst++) {
                List<Future<RecordMetadata>> sent = new ArrayList<>();
                for (int record = 0; record < records; record++)
                    sent.add(producer.send(new ProducerRecord<>(words[1], value)));
                say(sent);
            }
            List<Future<RecordMetadata>> keyed = new ArrayList<>();
            for (int key = 0; key < keys; key++) {
                byte[] named = String.format("key-%03d", key).getBytes(StandardCharsets.UTF_8);
                keyed.add(producer.send(new ProducerRecord<>(words[1], named, value)));
            }
            say(keyed);
        }
    }

    private static void say(List<Future<RecordMetadata>> sent) throws Exception {
        List<String> partitions = new ArrayList<>();
        for (Future<RecordMetadata> each : sent) partitions.add("" + each.get().partition());
        System.out.println(String.join(" ", partitions));
    }
}

import java.lang.reflect.Method;
import java.time.Duration;
import org.apache.kafka.clients.consumer.*;

/** What a consumer does by methods that not every release has. */
class Releases {
    @SuppressWarnings("unchecked")
    static ConsumerRecords<byte[], byte[]> poll(KafkaConsumer<byte[], byte[]> consumer, long forMs) throws Exception {
        try {
            Method poll = KafkaConsumer.class.getMethod("poll", Duration.class);
            return (ConsumerRecords<byte[], byte[]>) poll.invoke(consumer, Duration.ofMillis(forMs));
        } catch (NoSuchMethodException before20) {
            return (ConsumerRecords<byte[], byte[]>)
                KafkaConsumer.class.getMethod("poll", long.class).invoke(consumer, forMs);
        }
    }

    /** Of its group, or null where it has none or its release does not tell. */
    static Object generation(KafkaConsumer<byte[], byte[]> consumer) {
        try { // from 2.5 on
            Object metadata = KafkaConsumer.class.getMethod("groupMetadata").invoke(consumer);
            int number = (Integer) metadata.getClass().getMethod("generationId").invoke(metadata);
            return number < 0 ? null : number;
        } catch (ReflectiveOperationException before25) {
            return null;
        }
    }
}

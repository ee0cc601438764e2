import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/** Kafka Streams: counts the orders of each key, and says of each order which one it was. */
public class Counting {
    public static void main(String[] words) throws Exception {
        String orders = words[0], counts = words[1];
        Properties told = new Properties();
        told.put("application.id", words[2]);
        boolean skips = words[3].equals("latest"); // what comes while it is down, before it commits
        told.put("processing.guarantee", skips ? "at_least_once" : words[3]);
        told.put("state.dir", words[4]);
        told.put("bootstrap.servers", System.getenv("BOOTSTRAP"));
        told.put("replication.factor", "3");
        told.put("statestore.cache.max.bytes", "0"); // one output for each input
        told.put("consumer.session.timeout.ms", "6000");
        told.put("consumer.heartbeat.interval.ms", "1000");
        told.put("consumer.auto.offset.reset", skips ? "latest" : "earliest");
        if (skips) {
            told.put("commit.interval.ms", "30000");
        }
        if (words[3].equals("at_least_once")) {
            told.put("commit.interval.ms", "3000");
        }
        var text = Serdes.String();
        StreamsBuilder builder = new StreamsBuilder();
        builder.stream(orders, Consumed.with(text, text))
                .groupByKey()
                .aggregate(
                        () -> "0",
                        (key, order, before) ->
                                (Integer.parseInt(before.split(" ")[0]) + 1) + " " + order,
                        Materialized.<String, String>as(Stores.inMemoryKeyValueStore("counts"))
                                .withKeySerde(text)
                                .withValueSerde(text))
                .toStream()
                .to(counts, Produced.with(text, text));
        KafkaStreams streams = new KafkaStreams(builder.build(), told);
        streams.setStateListener((now, before) -> System.out.println("is " + now));
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
        new CountDownLatch(1).await();
    }
}

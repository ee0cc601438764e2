import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.FutureTask;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own Java client, of any release from 0.10 on, for Highwater: see docs/adapters.md. */
public class Adapter {
    static final List<String> WORDS = List.of(("acks enable.idempotence retries linger.ms compression.type batch.size "
        + "delivery.timeout.ms request.timeout.ms max.request.size max.in.flight.requests.per.connection").split(" "));

    public static void main(String[] arguments) throws Exception {
        System.setOut(System.err); // standard output is for nothing but the protocol
        FutureTask<?> written = Lines.writing();
        Properties built = new Properties(); // of the library, in every release of it
        built.load(KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties"));
        Lines.say("hello", "\"protocol\":1,\"library\":\"kafka-clients\",\"version\":"
            + Lines.quoted(built.getProperty("version")) + ",\"clock\":\"monotonic\",\"at_ns\":"
            + System.nanoTime() + ",\"capabilities\":{\"roles\":[\"producer\",\"member\"],\"settings\":"
            + known(ProducerConfig.class, WORDS) + ",\"member\":" + known(ConsumerConfig.class, Member.WORDS)
            + ",\"transactions\":" + known(ProducerConfig.class, Transactions.WORDS)
            + ",\"security\":" + Security.able()
            + (Headers.ADD == null ? "" : ",\"headers\":[\"producer\",\"member\"]")
            + ",\"flush\":true,\"pipelines\":true,\"keeps_order\":true,\"compression\":[\"gzip\",\"snappy\",\"lz4\""
            + (Arrays.toString(Errors.values()).contains("COMPRESSION") ? ",\"zstd\"]}" : "]}"));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String first = in.readLine();
        Map<?, ?> begin = first == null ? Map.of() : (Map<?, ?>) Lines.value(first, new int[1]);
        if ("member".equals(begin.get("role"))) Member.run(in, begin);
        else if (first != null) produce(in, begin);
        Lines.WAITING.add(Lines.LAST);
        written.get();
        Runtime.getRuntime().halt(0);
    }

    /** Of these words those that this release knows. */
    static String known(Class<?> config, List<String> words) throws Exception {
        List<String> known = new ArrayList<>();
        for (var field : config.getFields())
            if (words.contains(String.valueOf(field.get(null)))) known.add(Lines.quoted((String) field.get(null)));
        return "[" + String.join(",", known) + "]";
    }

    /** What a client of either kind is set to. */
    static Properties settings(Map<?, ?> begin) throws Exception {
        Properties settings = new Properties();
        ((Map<?, ?>) begin.get("settings")).forEach((name, told) -> settings.put(name, String.valueOf(told)));
        settings.put("bootstrap.servers", begin.get("bootstrap"));
        settings.put("client.id", begin.get("client"));
        if (begin.get("security") != null) Security.set(settings, (Map<?, ?>) begin.get("security"));
        return settings;
    }

    static void produce(BufferedReader in, Map<?, ?> begin) throws Exception {
        Properties settings = settings(begin);
        String delivery = settings.getProperty("delivery.timeout.ms");
        if (delivery != null) { // which must have room for a request, and the wait for a batch
            long most = Long.parseLong(delivery) - Long.parseLong(settings.getProperty("linger.ms", "0"));
            settings.putIfAbsent("request.timeout.ms", String.valueOf(Math.min(30_000, most)));
            settings.put("max.block.ms", delivery);
        }
        var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        if (settings.containsKey("transactional.id")) Transactions.register(producer);
        Lines.say("ready", "");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<?, ?> told = (Map<?, ?>) Lines.value(line, new int[1]);
            if (told.get("do").equals("stop")) break;
            if (told.get("do").equals("produce")) send(producer, told);
            if (told.get("do").equals("transaction")) Transactions.step(producer, (String) told.get("step"));
            if (!told.get("do").equals("flush")) continue;
            producer.flush();
            Lines.say("flushed", "\"at_ns\":" + System.nanoTime());
        }
        producer.close();
    }

    static void send(KafkaProducer<byte[], byte[]> producer, Map<?, ?> told) {
        List<?> values = (List<?>) told.get("values"), keys = (List<?>) told.get("keys");
        List<?> headers = (List<?>) told.get("headers");
        int partition = ((Long) told.get("partition")).intValue();
        Thread us = Thread.currentThread();
        for (int at = 0; at < values.size(); at++) {
            long id = (Long) told.get("first") + at;
            byte[] key = keys == null ? null : Lines.bytes(keys.get(at));
            try {
                var record = new ProducerRecord<>((String) told.get("topic"), partition, key, Lines.bytes(values.get(at)));
                if (headers != null) Headers.add(record, told.get("header"), headers.get(at));
                // Called back within the call to send: it has not taken the record.
                producer.send(record, (found, error) -> ended(id, found, error, Thread.currentThread() == us));
            } catch (Exception error) {
                ended(id, null, error, true);
            }
        }
    }

    static void ended(long id, RecordMetadata found, Exception error, boolean refused) {
        Transactions.hasRefused |= refused;
        if (error == null) {
            Lines.acknowledged(id, found.offset());
            return;
        }
        short code = Errors.forException(error).code();
        Lines.say("error", "\"error\":" + Lines.quoted(error.getClass().getSimpleName()) + ",\"text\":"
            + Lines.quoted(String.valueOf(error.getMessage())) + ",\"code\":" + (code < 0 ? "null" : code)
            + ",\"retriable\":" + (error instanceof RetriableException) + ",\"refused\":" + refused
            + ",\"records\":[[" + id + "," + System.nanoTime() + "]]");
    }
}

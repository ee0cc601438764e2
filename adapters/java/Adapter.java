import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Kafka's own Java client, of any release from 0.10 on, for Highwater: see docs/adapters.md. */
public class Adapter {
    static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    static final BlockingQueue<String> LINES = new LinkedBlockingQueue<>(); // that wait to be written together
    static final String LAST = "{\"event\":\"ended\"}\n";
    static final List<String> WORDS = List.of(("acks enable.idempotence retries linger.ms compression.type batch.size "
        + "delivery.timeout.ms request.timeout.ms max.request.size max.in.flight.requests.per.connection").split(" "));

    public static void main(String[] arguments) throws Exception {
        System.setOut(System.err); // standard output is for nothing but the protocol
        FutureTask<?> written = new FutureTask<>(Adapter::write);
        Thread writer = new Thread(written);
        writer.setDaemon(true); // what ends this thread ends the adapter
        writer.start();
        Properties built = new Properties(); // of the library, in every release of it
        built.load(KafkaProducer.class.getResourceAsStream("/kafka/kafka-version.properties"));
        say("hello", "\"protocol\":1,\"library\":\"kafka-clients\",\"version\":"
            + quoted(built.getProperty("version")) + ",\"clock\":\"monotonic\",\"at_ns\":"
            + System.nanoTime() + ",\"capabilities\":{\"roles\":[\"producer\",\"member\"],\"settings\":"
            + known(ProducerConfig.class, WORDS) + ",\"member\":" + known(ConsumerConfig.class, Member.WORDS)
            + ",\"transactions\":" + known(ProducerConfig.class, Transactions.WORDS) + ",\"flush\":true,\"compression\":[\"gzip\",\"snappy\",\"lz4\""
            + (Arrays.toString(Errors.values()).contains("COMPRESSION") ? ",\"zstd\"]}" : "]}"));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String first = in.readLine();
        Map<?, ?> begin = first == null ? Map.of() : (Map<?, ?>) value(first, new int[1]);
        if ("member".equals(begin.get("role"))) Member.run(in, begin);
        else if (first != null) produce(in, begin);
        LINES.add(LAST);
        written.get();
        Runtime.getRuntime().halt(0);
    }

    /** Of these words those that this release knows. */
    static String known(Class<?> config, List<String> words) throws Exception {
        List<String> known = new ArrayList<>();
        for (var field : config.getFields())
            if (words.contains(String.valueOf(field.get(null)))) known.add(quoted((String) field.get(null)));
        return "[" + String.join(",", known) + "]";
    }

    static void produce(BufferedReader in, Map<?, ?> begin) throws Exception {
        Properties settings = new Properties();
        ((Map<?, ?>) begin.get("settings")).forEach((name, told) -> settings.put(name, String.valueOf(told)));
        settings.put("bootstrap.servers", begin.get("bootstrap"));
        settings.put("client.id", begin.get("client"));
        String delivery = settings.getProperty("delivery.timeout.ms");
        if (delivery != null) { // which must have room for a request, and the wait for a batch
            long most = Long.parseLong(delivery) - Long.parseLong(settings.getProperty("linger.ms", "0"));
            settings.putIfAbsent("request.timeout.ms", String.valueOf(Math.min(30_000, most)));
            settings.put("max.block.ms", delivery);
        }
        var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
        if (settings.containsKey("transactional.id")) Transactions.register(producer);
        say("ready", "");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Map<?, ?> told = (Map<?, ?>) value(line, new int[1]);
            if (told.get("do").equals("stop")) break;
            if (told.get("do").equals("produce")) send(producer, told);
            if (told.get("do").equals("transaction")) Transactions.step(producer, (String) told.get("step"));
            if (!told.get("do").equals("flush")) continue;
            producer.flush();
            say("flushed", "\"at_ns\":" + System.nanoTime());
        }
        producer.close();
    }

    static void send(KafkaProducer<byte[], byte[]> producer, Map<?, ?> told) {
        List<?> values = (List<?>) told.get("values"), keys = (List<?>) told.get("keys");
        int partition = ((Long) told.get("partition")).intValue();
        Thread us = Thread.currentThread();
        for (int at = 0; at < values.size(); at++) {
            long id = (Long) told.get("first") + at;
            byte[] key = keys == null ? null : bytes(keys.get(at));
            try {
                producer.send(
                    new ProducerRecord<>((String) told.get("topic"), partition, key, bytes(values.get(at))),
                    // Called back within the call to send: it has not taken the record.
                    (found, error) -> ended(id, found, error, Thread.currentThread() == us));
            } catch (Exception error) {
                ended(id, null, error, true);
            }
        }
    }

    static void ended(long id, RecordMetadata found, Exception error, boolean refused) {
        String at = "," + System.nanoTime() + "]]";
        Transactions.hasRefused |= refused;
        short code = error == null ? 0 : Errors.forException(error).code();
        if (error == null) say("ok", "\"records\":[[" + id + "," + (found.offset() < 0 ? "null" : found.offset()) + at);
        else say("error", "\"error\":" + quoted(error.getClass().getSimpleName()) + ",\"text\":"
            + quoted(String.valueOf(error.getMessage())) + ",\"code\":" + (code < 0 ? "null" : code)
            + ",\"retriable\":" + (error instanceof RetriableException) + ",\"refused\":" + refused
            + ",\"records\":[[" + id + at);
    }

    static byte[] bytes(Object text) {
        return text == null ? null : ((String) text).getBytes(StandardCharsets.UTF_8);
    }

    /** Reads the JSON that lines have, from a place on, which is moved behind it. */
    static Object value(String line, int[] at) {
        while (" ,:".indexOf(line.charAt(at[0])) >= 0) at[0]++;
        int from = at[0]++;
        char first = line.charAt(from);
        if (first == '"') return text(line, at);
        if (first == '{' || first == '[') { // a map is a list of names and values by turns
            List<Object> items = new ArrayList<>();
            while ("]}".indexOf(line.charAt(at[0])) < 0)
                if (" ,".indexOf(line.charAt(at[0])) >= 0) at[0]++;
                else items.add(value(line, at));
            at[0]++;
            if (first == '[') return items;
            Map<Object, Object> members = new HashMap<>();
            for (int i = 0; i < items.size(); i += 2) members.put(items.get(i), items.get(i + 1));
            return members;
        }
        while (at[0] < line.length() && ",]} ".indexOf(line.charAt(at[0])) < 0) at[0]++;
        String word = line.substring(from, at[0]);
        return word.equals("null") ? null : word.matches("true|false") ? (Object) word.equals("true") : Long.valueOf(word);
    }

    static String text(String line, int[] at) {
        StringBuilder made = new StringBuilder();
        for (char c = line.charAt(at[0]++); c != '"'; c = line.charAt(at[0]++)) {
            if (c == '\\') {
                c = line.charAt(at[0]++);
                int known = "bfnrtu".indexOf(c);
                if (known == 5) c = (char) Integer.parseInt(line.substring(at[0], at[0] += 4), 16);
                else if (known >= 0) c = "\b\f\n\r\t".charAt(known);
            }
            made.append(c);
        }
        return made.toString();
    }

    static String quoted(String text) {
        StringBuilder made = new StringBuilder("\"");
        for (char c : text.toCharArray())
            made.append(c < 32 || c > 126 || c == '"' || c == '\\' ? String.format("\\u%04x", (int) c) : c);
        return made.append('"').toString();
    }

    static void say(String event, String fields) {
        LINES.add("{\"event\":\"" + event + '"' + (fields.isEmpty() ? "" : ",") + fields + "}\n");
    }

    static Object write() throws Exception {
        for (List<String> some = List.of(); !some.contains(LAST); OUT.print(String.join("", some)))
            LINES.drainTo(some = new ArrayList<>(List.of(LINES.take())));
        return null;
    }
}

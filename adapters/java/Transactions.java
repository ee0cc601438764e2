import java.lang.reflect.InvocationTargetException;
import java.util.List;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.protocol.Errors;

/** Steps of transactions, by the methods that a producer has from 0.11 on. */
class Transactions {
    static final List<String> WORDS = List.of("transactional.id", "transaction.timeout.ms");
    // The two of which its documentation says that they may be called again; and those after which it says to close it.
    static final List<String> AGAIN = List.of("TimeoutException", "InterruptException");
    static final List<String> LAST = List.of("ProducerFencedException", "OutOfOrderSequenceException",
        "AuthorizationException", "UnsupportedVersionException", "IllegalStateException");

    static volatile boolean hasRefused; // a call to send, in the open transaction: some releases would commit without that record

    /** Of its transactional id; whoever had it before is fenced. */
    static void register(KafkaProducer<?, ?> producer) throws Exception {
        for (Exception error = call(producer, "init"); error != null; error = call(producer, "init")) {
            if (!demanded(error).equals("retry")) throw error;
            Lines.say("complaint", "\"text\":" + Lines.quoted("it could not register yet: " + error));
        }
    }

    static void step(KafkaProducer<?, ?> producer, String step) throws Exception {
        boolean isRefused = step.equals("commit") && hasRefused;
        Exception error = isRefused ? new IllegalArgumentException("a call to send has refused a record") : call(producer, step);
        if (step.equals("abort") && error == null) hasRefused = false;
        String told = "\"step\":\"" + step + "\",\"at_ns\":" + System.nanoTime();
        if (error == null) {
            String nothing = ",\"error\":null,\"text\":\"\",\"code\":null,\"demands\":null,\"unconfirmed\":false";
            Lines.say("transaction", told + nothing);
            return;
        }
        short code = Errors.forException(error).code();
        String demanded = demanded(error);
        Lines.say("transaction", told + ",\"error\":" + Lines.quoted(error.getClass().getSimpleName()) + ",\"text\":"
            + Lines.quoted(error.getMessage() + (error.getCause() == null ? "" : ": " + error.getCause()))
            + ",\"code\":" + (code <= 0 ? null : code) + ",\"demands\":\"" + demanded
            + "\",\"unconfirmed\":" + demanded.equals("retry"));
    }

    static Exception call(KafkaProducer<?, ?> producer, String step) throws Exception {
        try {
            KafkaProducer.class.getMethod(step + (step.equals("init") ? "Transactions" : "Transaction")).invoke(producer);
            return null;
        } catch (InvocationTargetException within) {
            return (Exception) within.getCause();
        }
    }

    /** As the example in its documentation does: whatever is none of these is to be aborted. */
    static String demanded(Exception error) {
        for (Class<?> kind = error.getClass(); kind != null; kind = kind.getSuperclass()) {
            if (AGAIN.contains(kind.getSimpleName())) return "retry";
            if (LAST.contains(kind.getSimpleName())) return "close";
        }
        return "abort";
    }
}

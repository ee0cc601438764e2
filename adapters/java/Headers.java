import java.lang.reflect.Method;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The header by which a record is known, by methods that there are from 0.11 on. */
class Headers {
    static final String COMMON = "org.apache.kafka.common.header.";
    static final Method SENT = method(ProducerRecord.class.getName(), "headers");
    static final Method HANDED = method(ConsumerRecord.class.getName(), "headers");
    static final Method ADD = method(COMMON + "Headers", "add", String.class, byte[].class);
    static final Method LAST = method(COMMON + "Headers", "lastHeader", String.class);
    static final Method VALUE = method(COMMON + "Header", "value");

    static Method method(String of, String name, Class<?>... told) {
        try {
            return Class.forName(of).getMethod(name, told);
        } catch (ReflectiveOperationException before011) {
            return null;
        }
    }

    static void add(ProducerRecord<?, ?> record, Object name, Object text) throws ReflectiveOperationException {
        ADD.invoke(SENT.invoke(record), name, Lines.bytes(text));
    }

    /** The last one of this name, as JSON; null where there is none. */
    static String told(ConsumerRecord<?, ?> record, Object name) throws ReflectiveOperationException {
        Object last = LAST.invoke(HANDED.invoke(record), name);
        return last == null ? null : Lines.text((byte[]) VALUE.invoke(last));
    }
}

import java.nio.file.*;
import java.util.*;

/** How brokers want to be spoken to, as Java's clients have it. */
class Security {
    static final String MODULES = "org.apache.kafka.common.security.";
    static final String ABLE = "\"SASL_PLAINTEXT\",\"PLAIN\",\"SCRAM-SHA-256\",\"SCRAM-SHA-512\"";

    /** What is told of encryption is PEM, which releases before 2.7 do not read. */
    static String able() {
        try {
            Class.forName(MODULES + "ssl.DefaultSslEngineFactory$PemStore");
            return "[" + ABLE + ",\"SSL\",\"SASL_SSL\",\"certificate\"]";
        } catch (ClassNotFoundException before27) {
            return "[" + ABLE + "]";
        }
    }

    static void set(Properties settings, Map<?, ?> told) throws Exception {
        String protocol = (String) told.get("protocol"), mechanism = (String) told.get("mechanism");
        settings.put("security.protocol", protocol);
        if (protocol.startsWith("SASL")) {
            String module = mechanism.equals("PLAIN") ? "plain.PlainLoginModule" : "scram.ScramLoginModule";
            settings.put("sasl.mechanism", mechanism);
            settings.put("sasl.jaas.config", MODULES + module + " required username=" + quoted(told.get("username"))
                + " password=" + quoted(told.get("password")) + ";");
        }
        if (!protocol.endsWith("SSL")) return;
        if (has(told, "authorities")) {
            settings.put("ssl.truststore.type", "PEM");
            settings.put("ssl.truststore.certificates", read(told, "authorities"));
        }
        if (has(told, "certificate")) {
            settings.put("ssl.keystore.type", "PEM");
            settings.put("ssl.keystore.certificate.chain", read(told, "certificate"));
            settings.put("ssl.keystore.key", read(told, has(told, "key") ? "key" : "certificate"));
            if (has(told, "key_password")) settings.put("ssl.key.password", told.get("key_password"));
        }
        if (told.get("checks_host").equals(false)) settings.put("ssl.endpoint.identification.algorithm", "");
    }

    static boolean has(Map<?, ?> told, String name) {
        return !told.get(name).equals("");
    }

    static String read(Map<?, ?> told, String name) throws Exception {
        return new String(Files.readAllBytes(Paths.get((String) told.get(name))));
    }

    static String quoted(Object text) {
        return '"' + ((String) text).replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}

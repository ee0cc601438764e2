import java.nio.file.*;
import java.security.NoSuchAlgorithmException;
import java.util.*;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;

/** How brokers want to be spoken to, as Java's clients have it. */
class Security {
    static final String MODULES = "org.apache.kafka.common.security.";
    static final String ABLE = "\"SASL_PLAINTEXT\",\"PLAIN\",\"SCRAM-SHA-256\",\"SCRAM-SHA-512\"";

    /** What is told of encryption is PEM, which releases before 2.7 do not read. */
    static String able() throws Exception {
        try {
            Class.forName(MODULES + "ssl.DefaultSslEngineFactory$PemStore");
            return "[" + ABLE + ",\"SSL\",\"SASL_SSL\",\"certificate\",\"PBES1\"" + (readsPbes2() ? ",\"PBES2\"]" : "]");
        } catch (ClassNotFoundException before27) {
            return "[" + ABLE + "]";
        }
    }

    /** Some releases of Java, 17 among them, do not find the cipher of a key that is encrypted so. */
    static boolean readsPbes2() throws Exception {
        String named = "MFwwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECDfHco8DYNveAgIIADAM"
            + "BggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ5hVGtBJQVqrFy/1Jp8UwHgQBAA=="; // the head of one, and no key
        try {
            SecretKeyFactory.getInstance(new EncryptedPrivateKeyInfo(Base64.getDecoder().decode(named)).getAlgName());
            return true;
        } catch (NoSuchAlgorithmException lacking) {
            return false;
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
            String key = read(told, has(told, "key") ? "key" : "certificate");
            settings.put("ssl.keystore.key", key);
            // With a password a key that is not encrypted could not be read.
            if (has(told, "key_password") && key.contains("BEGIN ENCRYPTED"))
                settings.put("ssl.key.password", told.get("key_password"));
        }
        if (told.get("checks_host").equals(false)) settings.put("ssl.endpoint.identification.algorithm", "");
    }

    static boolean has(Map<?, ?> told, String name) {
        return !told.get(name).equals("");
    }

    static String read(Map<?, ?> told, String name) throws Exception {
        return new String(Files.readAllBytes(Paths.get((String) told.get(name))));
    }

    /** As StreamTokenizer reads it, for which a quoted word ends with its line. */
    static String quoted(Object text) {
        return '"' + ((String) text).replace("\\", "\\\\").replace("\"", "\\\"")
            .replace("\n", "\\n").replace("\r", "\\r") + '"';
    }
}

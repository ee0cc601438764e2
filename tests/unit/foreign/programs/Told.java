import java.io.*;
import java.util.*;
import org.apache.kafka.common.config.SslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;
import org.apache.kafka.common.security.ssl.DefaultSslEngineFactory;

/**
 * A line is the security of `begin`, or a sasl.jaas.config; out goes what Kafka's own classes read in it: the
 * options of the login module, {} where keys and certificates are read, or an error in words.
 */
class Told {
    public static void main(String[] arguments) throws Exception {
        System.out.println(Security.able());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            try {
                System.out.println(read(Lines.value(line, new int[1])));
            } catch (Exception error) {
                System.out.println(Lines.quoted(String.valueOf(error)));
            }
        }
    }

    static String read(Object told) throws Exception {
        Properties settings = new Properties();
        if (told instanceof String) settings.put("sasl.jaas.config", told);
        else Security.set(settings, (Map<?, ?>) told);
        String login = (String) settings.get("sasl.jaas.config");
        return login == null ? keys(settings) : options(login);
    }

    static String options(String login) {
        Map<String, ?> configs = Map.of("sasl.jaas.config", new Password(login));
        List<String> members = new ArrayList<>();
        JaasContext.loadClientContext(configs).configurationEntries().get(0).getOptions().forEach((name, value) ->
            members.add(Lines.quoted(name) + ":" + Lines.quoted((String) value)));
        return "{" + String.join(",", members) + "}";
    }

    static String keys(Properties settings) throws Exception {
        Map<String, Object> configs = new HashMap<>(Map.of("ssl.protocol", "TLSv1.3"));
        settings.forEach((name, value) -> configs.put((String) name, value));
        for (String name : List.of("ssl.keystore.key", "ssl.keystore.certificate.chain", "ssl.key.password"))
            if (configs.containsKey(name)) configs.put(name, new Password((String) configs.get(name)));
        new DefaultSslEngineFactory().configure(configs);
        return "{}";
    }
}

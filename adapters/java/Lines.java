import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;

/** The lines of the protocol: JSON both ways. */
class Lines {
    static final PrintStream OUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    static final BlockingQueue<String> WAITING = new LinkedBlockingQueue<>(); // to be written together
    static final String LAST = "{\"event\":\"ended\"}\n";
    static final int MOST = 1_000; // outcomes of a line

    /** A thread that writes until the last line; it is waited for by `get`. */
    static FutureTask<?> writing() {
        FutureTask<?> written = new FutureTask<>(Lines::write);
        Thread writer = new Thread(written);
        writer.setDaemon(true); // what ends the main thread ends the adapter
        writer.start();
        return written;
    }

    static void say(String event, String fields) {
        WAITING.add("{\"event\":\"" + event + '"' + (fields.isEmpty() ? "" : ",") + fields + "}\n");
    }

    /** An outcome, which shares a line with those beside it. */
    static void acknowledged(long id, long offset) {
        WAITING.add("[" + id + "," + (offset < 0 ? "null" : offset) + "," + System.nanoTime() + "]");
    }

    static Object write() throws Exception {
        for (List<String> some = List.of(); !some.contains(LAST); OUT.print(joined(some)))
            WAITING.drainTo(some = new ArrayList<>(List.of(WAITING.take())));
        return null;
    }

    static String joined(List<String> some) {
        StringBuilder made = new StringBuilder();
        int outcomes = 0; // of the line that is not ended yet
        for (String each : some) {
            boolean isOutcome = each.charAt(0) == '[';
            if (outcomes > 0 && (!isOutcome || outcomes == MOST)) {
                made.append("]}\n");
                outcomes = 0;
            }
            if (isOutcome) made.append(outcomes++ == 0 ? "{\"event\":\"ok\",\"records\":[" : ",");
            made.append(each);
        }
        return made.append(outcomes > 0 ? "]}\n" : "").toString();
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
        int from = at[0];
        char c = line.charAt(at[0]++);
        while (c != '"' && c != '\\') c = line.charAt(at[0]++);
        if (c == '"') return line.substring(from, at[0] - 1);
        StringBuilder made = new StringBuilder(line.substring(from, at[0] - 1));
        for (; c != '"'; c = line.charAt(at[0]++)) {
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

    static String text(byte[] told) {
        return told == null ? null : quoted(new String(told, StandardCharsets.UTF_8));
    }

    static byte[] bytes(Object text) {
        return text == null ? null : ((String) text).getBytes(StandardCharsets.UTF_8);
    }
}

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.JoinGroupRequestData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.ObjectSerializationCache;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.FetchResponse;

/**
 * What Kafka's own classes make of a message: a line "WORD API VERSION ERROR HEX" comes in, one of
 * hexadecimal digits goes out. "request" and "response" read it and write it again; "refuse" answers a
 * request with an error; "spoil" puts an error where an answer to Metadata tells one innermost.
 */
public class ErrorAnswers {
    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] said = line.split(" ", -1);
            ApiKeys api = ApiKeys.forId(Integer.parseInt(said[1]));
            short version = Short.parseShort(said[2]);
            Errors error = Errors.forCode(Short.parseShort(said[3]));
            ByteBuffer body = ByteBuffer.wrap(HexFormat.of().parseHex(said[4]));
            System.out.println(answer(said[0], api, version, error, body));
        }
    }

    private static String answer(String word, ApiKeys api, short version, Errors error, ByteBuffer body) {
        try {
            return HexFormat.of().formatHex(written(made(word, api, version, error, body), version));
        } catch (InvocationTargetException refused) {
            return "! " + refused.getCause();
        } catch (Exception | LinkageError refused) {
            return "! " + refused;
        }
    }

    private static ApiMessage made(String word, ApiKeys api, short version, Errors error, ByteBuffer body)
            throws Exception {
        if (word.equals("refuse")) {
            return refusal(api, version, error, body);
        }
        ApiMessage message = word.equals("request") ? api.messageType.newRequest() : api.messageType.newResponse();
        message.read(new ByteBufferAccessor(body), version);
        if (body.hasRemaining()) {
            throw new IllegalStateException(body.remaining() + " bytes are left of " + word + " " + api + " " + version);
        }
        if (word.equals("spoil")) {
            spoil((MetadataResponseData) message, error.code());
        }
        return message;
    }

    private static byte[] written(ApiMessage message, short version) {
        ObjectSerializationCache cache = new ObjectSerializationCache();
        ByteBuffer room = ByteBuffer.allocate(message.size(cache, version));
        message.write(new ByteBufferAccessor(room), cache, version);
        return room.array();
    }

    /** Kafka's getErrorResponse, except where brokers refuse partitions in another way than whole requests. */
    private static ApiMessage refusal(ApiKeys api, short version, Errors error, ByteBuffer body) throws Exception {
        ApiMessage asked = api.messageType.newRequest();
        asked.read(new ByteBufferAccessor(body.duplicate()), version);
        if (api == ApiKeys.FETCH && hasPartitions((FetchRequestData) asked)) {
            return fetched((FetchRequestData) asked, error);
        }
        ApiMessage answer = parsed(api, version, body).getErrorResponse(0, error.exception()).data();
        if (answer instanceof ProduceResponseData) {
            inOrder((ProduceRequestData) asked, (ProduceResponseData) answer);
        }
        if (answer instanceof OffsetFetchResponseData && version < 2) {
            inOrder((OffsetFetchRequestData) asked, (OffsetFetchResponseData) answer);
        }
        if (answer instanceof JoinGroupResponseData) {  // the coordinator says to whom, who asks without one does not
            ((JoinGroupResponseData) answer).setMemberId(((JoinGroupRequestData) asked).memberId());
        }
        if (answer instanceof FindCoordinatorResponseData) {  // the words that go with a code are nobody's but Kafka's
            FindCoordinatorResponseData found = (FindCoordinatorResponseData) answer;
            found.setErrorMessage("");
            found.coordinators().forEach(each -> each.setErrorMessage(""));
        }
        return answer;
    }

    private static boolean hasPartitions(FetchRequestData asked) {
        return asked.topics().stream().anyMatch(each -> !each.partitions().isEmpty());
    }

    /** A hash map has mixed them; brokers tell them as it comes, we as they were asked for. */
    private static void inOrder(ProduceRequestData asked, ProduceResponseData answer) {
        List<ProduceResponseData.TopicProduceResponse> told = new ArrayList<>(answer.responses());
        answer.responses().clear();
        for (ProduceRequestData.TopicProduceData topic : asked.topicData()) {
            List<Integer> order = topic.partitionData().stream().map(each -> each.index()).toList();
            for (ProduceResponseData.TopicProduceResponse one : told) {
                if (order.contains(one.partitionResponses().get(0).index())) {  // versions differ in what names topics
                    one.partitionResponses().sort(Comparator.comparing(each -> order.indexOf(each.index())));
                    answer.responses().add(one.duplicate());
                }
            }
        }
    }

    private static void inOrder(OffsetFetchRequestData asked, OffsetFetchResponseData answer) {
        List<String> topics = asked.topics().stream().map(each -> each.name()).toList();
        answer.topics().sort(Comparator.comparing(each -> topics.indexOf(each.name())));
        for (OffsetFetchResponseData.OffsetFetchResponseTopic topic : answer.topics()) {
            List<Integer> order = asked.topics().get(topics.indexOf(topic.name())).partitionIndexes();
            topic.partitions().sort(Comparator.comparing(each -> order.indexOf(each.partitionIndex())));
        }
    }

    /** As a broker answers that has opened no session. */
    private static FetchResponseData fetched(FetchRequestData asked, Errors error) throws Exception {
        FetchResponseData answer = new FetchResponseData();
        for (FetchRequestData.FetchTopic topic : asked.topics()) {
            List<FetchResponseData.PartitionData> partitions = new ArrayList<>();
            for (FetchRequestData.FetchPartition each : topic.partitions()) {
                partitions.add(withoutRecords(FetchResponse.partitionResponse(each.partition(), error)));
            }
            answer.responses().add(new FetchResponseData.FetchableTopicResponse()
                .setTopic(topic.topic()).setTopicId(topic.topicId()).setPartitions(partitions));
        }
        return answer;
    }

    /** Where 3.9.1 has null brokers before and after it have none at all; 4.x keeps the class in another package. */
    private static FetchResponseData.PartitionData withoutRecords(FetchResponseData.PartitionData told) throws Exception {
        for (var method : told.getClass().getMethods()) {
            if (method.getName().equals("setRecords")) {
                String base = method.getParameterTypes()[0].getName();
                Class<?> records = Class.forName(base.replace("BaseRecords", "MemoryRecords"));
                method.invoke(told, records.getField("EMPTY").get(null));
            }
        }
        return told;
    }

    /** The buffer is read as such up to 4.0, later by an accessor. */
    private static AbstractRequest parsed(ApiKeys api, short version, ByteBuffer body) throws Exception {
        for (var method : AbstractRequest.class.getMethods()) {
            if (method.getName().equals("parseRequest")) {
                boolean plain = method.getParameterTypes()[2] == ByteBuffer.class;
                Object found = method.invoke(null, api, version, plain ? body : new ByteBufferAccessor(body));
                return found instanceof AbstractRequest
                    ? (AbstractRequest) found
                    : (AbstractRequest) found.getClass().getField("request").get(found);
            }
        }
        throw new IllegalStateException("AbstractRequest parses no requests");
    }

    private static void spoil(MetadataResponseData answer, short error) {
        for (MetadataResponseData.MetadataResponseTopic topic : answer.topics()) {
            topic.partitions().forEach(each -> each.setErrorCode(error));
            if (topic.partitions().isEmpty()) {
                topic.setErrorCode(error);
            }
        }
    }
}

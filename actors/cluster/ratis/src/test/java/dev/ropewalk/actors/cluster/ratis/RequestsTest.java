package dev.ropewalk.actors.cluster.ratis;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.cluster.store.StoreException;

import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.AlreadyClosedException;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/** Rule A7: what becomes of a request when servers fail, answer late, or not at all. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RequestsTest {
    private static final Duration LIMIT = Duration.ofMillis(500);
    private static final RaftPeerId ONE = RaftPeerId.valueOf("n1");
    private static final RaftPeerId TWO = RaftPeerId.valueOf("n2");

    private final RatisOptions options =
            RatisOptions.of("n3", Map.of("n3", "h:1"), Path.of("n3")).withCallLimit(LIMIT);
    private final Requests requests = new Requests(options);
    private final List<CompletableFuture<RaftClientReply>> sent = new CopyOnWriteArrayList<>();
    private final List<Long> callIds = new CopyOnWriteArrayList<>();
    private volatile @Nullable RaftPeerId leader = ONE;

    /** Each attempt is answered by the test. */
    private final class Wire implements Requests.Link {
        @Override
        public @Nullable RaftPeerId leader() {
            return leader;
        }

        @Override
        public boolean isSelf(RaftPeerId peer) {
            return false;
        }

        @Override
        public CompletableFuture<RaftClientReply> send(
                RaftPeerId to, long callId, ByteString command) {
            callIds.add(callId);
            CompletableFuture<RaftClientReply> reply = new CompletableFuture<>();
            sent.add(reply);
            return reply;
        }

        @Override
        public void sawFailure(RaftPeerId of, Throwable failure) {}
    }

    @AfterEach
    void close() {
        requests.checkInvariants();
        requests.close();
    }

    private CompletableFuture<Request.Outcome> send(long from) {
        requests.open(new Wire());
        CompletableFuture<Request.Outcome> outcome = new CompletableFuture<>();
        requests.send(
                new Request(Command.write("k", from, new byte[1]), from > 0, outcome::complete));
        return outcome;
    }

    private CompletableFuture<RaftClientReply> attempt(int number) {
        await().atMost(Duration.ofSeconds(20)).until(() -> sent.size() >= number);
        return sent.get(number - 1);
    }

    private static RaftClientReply reply(long number) {
        return RaftClientReply.newBuilder()
                .setClientId(ClientId.emptyClientId())
                .setServerId(ONE)
                .setGroupId(RaftGroupId.valueOf(ServerDirectory.idOf("g")))
                .setCallId(1)
                .setSuccess()
                .setMessage(Message.valueOf(Command.outcome(number)))
                .build();
    }

    private static RaftGroupMemberId member() {
        return RaftGroupMemberId.valueOf(ONE, RaftGroupId.valueOf(ServerDirectory.idOf("g")));
    }

    private static void assertDone(long number, CompletableFuture<Request.Outcome> outcome) {
        assertEquals(new Request.Outcome.Done(number), outcome.join());
    }

    private static String unknown(CompletableFuture<Request.Outcome> outcome) {
        Throwable cause = assertInstanceOf(Request.Outcome.Unknown.class, outcome.join()).cause();
        return String.valueOf(assertInstanceOf(StoreException.class, cause).getMessage());
    }

    @Test
    void A7_anAnswerIsTheOutcome() {
        CompletableFuture<Request.Outcome> written = send(5);
        attempt(1).complete(reply(9));
        assertDone(9, written);
        CompletableFuture<Request.Outcome> refused = send(0);
        attempt(2).complete(reply(Command.REFUSED));
        assertDone(Command.REFUSED, refused);
        assertNotEquals(callIds.get(0), callIds.get(1));
    }

    @Test
    void A7_aLostReplyIsUnknownWhenTheLimitHasPassed() {
        String why = unknown(send(5));
        assertTrue(why.contains("1 attempts, the last one to n1"), why);
        attempt(1).complete(reply(9)); // too late, and harms nobody
    }

    @Test
    void A7_withoutALeaderARequestWaitsAndIsUnknownInTheEnd() {
        leader = null;
        String why = unknown(send(5));
        assertTrue(why.contains("no leader"), why);
        assertEquals(0, sent.size());
    }

    @Test
    void A7_aWriteFromARevisionIsSentAgainAndCountsOnce() {
        CompletableFuture<Request.Outcome> outcome = send(5);
        attempt(1).completeExceptionally(new IOException("the connection broke"));
        attempt(2).complete(reply(9));
        assertDone(9, outcome);
        assertEquals(callIds.get(0), callIds.get(1), "by which Ratis knows it");
    }

    @Test
    void A7_aRefusalOfARepeatedWriteMayBeOfItsOwnEffect() {
        CompletableFuture<Request.Outcome> outcome = send(5);
        attempt(1).completeExceptionally(new IOException("the connection broke"));
        attempt(2).complete(reply(Command.REFUSED));
        unknown(outcome);
        CompletableFuture<Request.Outcome> late = send(5);
        CompletableFuture<RaftClientReply> first = attempt(3);
        leader = TWO;
        assertFalse(attempt(4).isDone());
        first.complete(reply(Command.REFUSED));
        unknown(late);
    }

    @Test
    void A7_aLateAnswerOfAnEarlierAttemptCounts() {
        CompletableFuture<Request.Outcome> outcome = send(5);
        CompletableFuture<RaftClientReply> first = attempt(1);
        leader = TWO; // the first one is stopped, say
        assertFalse(attempt(2).isDone());
        first.complete(reply(9));
        assertDone(9, outcome);
    }

    /** Otherwise it would take effect twice, with a removal in between. */
    @Test
    void A7_aWriteWithoutAnEntryIsNotSentAgainOnceAServerMayHaveIt() {
        CompletableFuture<Request.Outcome> broken = send(0);
        attempt(1).completeExceptionally(new IOException("the connection broke"));
        assertTrue(unknown(broken).contains("the connection broke"));
        CompletableFuture<Request.Outcome> deposed = send(0);
        attempt(2).completeExceptionally(new NotLeaderException(member(), null, List.of()));
        unknown(deposed);
        CompletableFuture<Request.Outcome> leftBehind = send(0);
        assertFalse(attempt(3).isDone());
        leader = TWO;
        unknown(leftBehind);
        assertEquals(3, sent.size());
    }

    @Test
    void A7_whatWasTurnedAwayIsSentAgain() {
        CompletableFuture<Request.Outcome> outcome = send(0);
        attempt(1).completeExceptionally(new LeaderNotReadyException(member()));
        attempt(2).completeExceptionally(new IOException(new ConnectException("refused")));
        attempt(3).completeExceptionally(new AlreadyClosedException("c->n1 is closed."));
        attempt(4).complete(reply(Command.REFUSED));
        assertDone(Command.REFUSED, outcome);
    }

    @Test
    void A7_tooManyRequestsAreAnsweredAtOnce() {
        leader = null;
        for (int i = 0; i < Requests.MAX_REQUESTS; i++) {
            CompletableFuture<Request.Outcome> _ = send(1);
        }
        CompletableFuture<Request.Outcome> more = send(1);
        assertTrue(more.isDone());
        assertTrue(unknown(more).contains("wait"));
    }

    @Test
    void A7_aClosedStoreHasNoOutcomes() {
        CompletableFuture<Request.Outcome> open = send(5);
        assertFalse(attempt(1).isDone());
        requests.close();
        assertTrue(unknown(open).contains("closed"));
        assertTrue(unknown(send(5)).contains("closed"));
    }
}

package dev.ropewalk.channels.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.ropewalk.fibers.StackKind;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.List;

/** Rule C5: the TCK of Reactive Streams, each of its tests one here. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class TckTest {
    /**
     * {@return each test of the class}
     *
     * @param count how many this version of the TCK has; otherwise some were not run
     * @param skipped how many of them it does not verify, or are for what is optional
     */
    private static List<DynamicTest> all(Class<?> verification, int count, int skipped) {
        TckRun run = TckRun.of(verification);
        assertEquals(count, run.count(), run::toString);
        assertEquals(skipped, run.skipped(), run::toString);
        return run.tests();
    }

    /** The TCK does not verify 7 rules. */
    @TestFactory
    List<DynamicTest> C5_publisherOfPorts() {
        return all(PublisherTck.class, 38, 7);
    }

    /** The TCK does not verify 7 rules; 5 tests are for several subscribers, which are optional. */
    @TestFactory
    List<DynamicTest> C5_publisherOfOnePortOnVirtualThreads() {
        assumeTrue(StackKind.VIRTUAL_THREAD.isAvailable());
        return all(SinglePortPublisherTck.class, 38, 12);
    }

    /** The TCK does not verify 13 rules. */
    @TestFactory
    List<DynamicTest> C5_subscriberWhiteBox() {
        return all(SubscriberWhiteboxTck.class, 27, 13);
    }

    /** The TCK does not verify 15 rules. */
    @TestFactory
    List<DynamicTest> C5_subscriberBlackBox() {
        return all(SubscriberBlackboxTck.class, 26, 15);
    }

    /** The TCK does not verify 13 rules. */
    @TestFactory
    List<DynamicTest> C5_receivePortWhiteBox() {
        return all(ReceivePortWhiteboxTck.class, 27, 13);
    }

    /** The TCK does not verify 15 rules. */
    @TestFactory
    List<DynamicTest> C5_receivePortBlackBox() {
        return all(ReceivePortBlackboxTck.class, 26, 15);
    }

    /**
     * The TCK does not verify 20 rules; 7 tests are for several subscribers, which are optional.
     */
    @TestFactory
    List<DynamicTest> C5_processor() {
        return all(ProcessorTck.class, 68, 27);
    }
}

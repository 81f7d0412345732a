package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.TellResult;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCounted;

import java.util.concurrent.atomic.AtomicReference;

/**
 * A client, as rooms know it. For any thread.
 *
 * @param member writes to it
 * @param format how
 * @param farewell what is written last
 */
record Client(ActorRef<Delivery> member, Format format, AtomicReference<Farewell> farewell) {
    /**
     * Hands bytes over, which it takes over in any case. Never waits.
     *
     * @return false if there is no room, because the client reads too slowly
     */
    boolean offer(ReferenceCounted bytes) {
        Delivery delivery = new Delivery(bytes);
        TellResult result = member.tryTell(delivery);
        if (result != TellResult.ACCEPTED) {
            delivery.release();
        }
        return result != TellResult.FULL;
    }

    /** As {@link #offer}, with words of the server, which begin with a star. */
    boolean offerNotice(String words) {
        return offer(notice(words));
    }

    /** Hands bytes over, and waits while there is no room. A switchpoint then. */
    void send(ReferenceCounted bytes) {
        member.tell(new Delivery(bytes));
    }

    /** As {@link #send}, with words of the server. */
    void sendNotice(String words) {
        send(notice(words));
    }

    private ReferenceCounted notice(String words) {
        return format.encode(ByteBufAllocator.DEFAULT, "* " + words);
    }

    /** Ends it before what is on its way is written. */
    void dismiss(Farewell last) {
        farewell.set(last);
        member.terminate();
    }

    /** Ends it behind what is on its way. */
    void end(Farewell last) {
        farewell.set(last);
        member.stop();
    }
}

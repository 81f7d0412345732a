package dev.ropewalk.fibers.internal.boot;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.Abandonment;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.Checks;
import dev.ropewalk.fibers.internal.timer.Timer;
import dev.ropewalk.fibers.testing.VirtualCords;

import java.util.Objects;

/**
 * The life of a cord that shares its thread with others, one turn after the other (rule F14).
 *
 * <p>By {@link VirtualCords}, between the turns of all its cords.
 */
public final class TurnDriver {
    private static final Log LOG = Logs.logger(Cord.class);
    private static final Turn[] TURNS = Turn.values();

    public final CordImpl cord;

    /** The next step of a cord if it had a thread for itself. */
    private enum Turn {
        FIBER,
        MESSAGE,
        TIMERS,
        END
    }

    TurnDriver(CordImpl cord) {
        this.cord = cord;
    }

    private boolean can(Turn turn) {
        return switch (turn) {
            case FIBER -> cord.loop.hasRunnable();
            case MESSAGE -> !cord.mail.inbox.isEmpty();
            case TIMERS -> isTimerDue();
            case END -> cord.roster.root.outcome() != null && !cord.loop.hasRunnable();
        };
    }

    private boolean isTimerDue() {
        Timer next = cord.timers.earliest();
        return next != null && next.deadlineNs - cord.platform.nanoTime() <= 0;
    }

    /** Whether there is anything to do before time passes or a message comes. */
    public boolean hasTurn() {
        for (Turn each : TURNS) {
            if (can(each)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Does one thing of those that there are to do; which one is drawn from the seed. One message
     * at a time, because a thread that polls may see the first and not yet the second.
     *
     * @return false if the cord has come to its end; {@link #end} carries that out
     */
    public boolean takeTurn() {
        cord.loop.runQueue.forgetTaken();
        long nowNs = cord.platform.nanoTime();
        if (nowNs != cord.loop.tickNs()) {
            cord.loop.tick(nowNs);
        }
        Turn turn = drawTurn();
        switch (turn) {
            case FIBER -> asCurrent(this::enterFiber);
            case MESSAGE -> asCurrent(() -> cord.mail.inbox.drain(1));
            case TIMERS -> asCurrent(() -> cord.timers.fireDue(cord.platform.nanoTime()));
            case END -> {}
        }
        return turn != Turn.END;
    }

    private void enterFiber() {
        cord.mount.enter(Objects.requireNonNull(cord.loop.takeEntry(), "runnable fiber"));
    }

    private Turn drawTurn() {
        Turn drawn = null;
        int seen = 0;
        for (Turn each : TURNS) {
            if (can(each) && cord.platform.nextInt(++seen) == 0) {
                drawn = each;
            }
        }
        return Objects.requireNonNull(drawn, "no turn");
    }

    /** The calling thread is this cord meanwhile, and no fiber runs there. */
    public void asCurrent(Runnable code) {
        cord.loop.become();
        try {
            code.run();
        } finally {
            cord.loop.ceaseToBe();
        }
    }

    /** It has come to its end, and no cord is current. */
    public void end() {
        try {
            if (Checks.ON) {
                cord.checkInvariants();
            }
        } finally {
            cord.end();
        }
    }

    /** It takes no turn any more, and none of its code runs; waits for its fibers fail. */
    public void kill() {
        try {
            asCurrent(
                    () -> {
                        cord.roster.fibers().forEach(Abandonment::silence);
                        cord.roster.loseAll(cord + " was killed");
                        cord.platform.close(); // as the cord: what is told there are its fibers
                    });
        } finally {
            cord.end();
        }
    }

    /** It broke, or nothing on it can ever run again. */
    public void giveUp(Throwable why) {
        Logs.tellBroken(LOG, why, "{} broke; its fibers are lost", cord);
        try {
            asCurrent(() -> cord.roster.loseAll("its cord broke: " + why));
        } finally {
            cord.end();
        }
    }
}

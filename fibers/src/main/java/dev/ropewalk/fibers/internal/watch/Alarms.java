package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.report.CordDumps;
import dev.ropewalk.fibers.observe.WatchdogReport;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Those that are told of the trouble of all cords, whatever the handlers of their options are:
 * none, unless dumps are asked for. For any thread; telling throws nothing.
 */
public final class Alarms {
    private static final Log LOG = Logs.logger(Alarms.class);
    private static final List<Consumer<? super Alarm>> TAKERS = new CopyOnWriteArrayList<>();

    private Alarms() {}

    /**
     * From now on.
     *
     * @param taker called where the trouble is found, on a cord perhaps: it must not wait
     */
    public static void add(Consumer<? super Alarm> taker) {
        TAKERS.add(taker);
    }

    public static void remove(Consumer<? super Alarm> taker) {
        TAKERS.remove(taker);
    }

    static void tell(WatchdogReport report) {
        if (!TAKERS.isEmpty() && Alarm.isTrouble(report)) {
            tell(new Alarm(Alarm.kindOf(report), SafeText.of(report)));
        }
    }

    /** By the cord's thread, before its fibers are lost. */
    public static void broke(CordImpl cord, Throwable failure) {
        if (TAKERS.isEmpty()) {
            return;
        }
        try {
            tell(new Alarm(Alarm.Kind.BROKE, cord + " broke: " + Lines.of(failure) + last(cord)));
        } catch (Throwable broken) {
            Logs.tellBroken(LOG, broken, "an alarm was lost: {} broke", cord);
        }
    }

    /** When the file is written the cord has ended, and has no fibers any more. */
    private static String last(CordImpl cord) {
        try {
            return "; before its end:\n" + CordDumps.of(List.of(cord), Duration.ZERO).getFirst();
        } catch (Throwable failed) {
            return "; its dump failed: " + Lines.of(failed);
        }
    }

    private static void tell(Alarm alarm) {
        for (Consumer<? super Alarm> taker : TAKERS) {
            try {
                taker.accept(alarm);
            } catch (Throwable broken) {
                Logs.tellBroken(LOG, broken, "an alarm was lost: {}", alarm.kind());
            }
        }
    }
}

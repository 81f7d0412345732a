package dev.ropewalk.examples.wordcount;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;

/**
 * The actor that counts the words of one shard.
 *
 * <p>Its committed state is the number of the last update that was completed. An update changes the
 * table in place and may crash anywhere; the table then returns to the committed number, and the
 * same message is tried again. So every word is counted once.
 *
 * @param table the words; changed in place, with an undo log
 * @param committed number of the last completed update
 * @param chaos decides which updates crash
 */
record Counter(CountTable table, long committed, Chaos chaos) implements Behavior<CounterMessage> {
    /** At the highest rate of chaos, 0.9, no message in a lifetime fails that often in a row. */
    private static final int ATTEMPTS = 1_000;

    static Actor<CounterMessage> actor(double chaosRate, long seed) {
        return Actor.<CounterMessage>handler(
                        _ -> new Counter(new CountTable(), 0, new Chaos(chaosRate, seed)))
                .keepState()
                .onFailure(FailedMessage.retry(ATTEMPTS));
    }

    @Override
    public Behavior<CounterMessage> onMessage(CounterMessage message) {
        return switch (message) {
            case CounterMessage.Add add -> add(add);
            case CounterMessage.Report report -> {
                table.rollBack(committed);
                report.replyTo()
                        .tell(
                                new CounterMessage.Totals(
                                        table.words(), table.distinct(), table.top(report.top())));
                yield Behavior.same();
            }
        };
    }

    private Counter add(CounterMessage.Add add) {
        WordTable words = add.words();
        Chaos.Point crash = words.distinct() == 0 ? Chaos.Point.NONE : chaos.next();
        if (crash == Chaos.Point.BEFORE) {
            throw new InjectedCrash("before an update");
        }
        long update = table.begin(committed);
        if (crash == Chaos.Point.INSIDE) {
            table.crashAtAdd(chaos.nextAdd(words.distinct()));
        }
        try {
            table.merge(words);
        } catch (OutOfMemoryError full) {
            table.drop(); // the run is over, and needs room to end
            throw full;
        }
        if (crash == Chaos.Point.AFTER) {
            throw new InjectedCrash("after an update");
        }
        add.replyTo().tell(words.words());
        return new Counter(table, update, chaos);
    }
}

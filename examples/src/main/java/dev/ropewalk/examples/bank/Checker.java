package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.examples.bank.CheckerMessage.Expect;
import dev.ropewalk.examples.bank.CheckerMessage.GiveUp;
import dev.ropewalk.examples.bank.CheckerMessage.Late;
import dev.ropewalk.examples.bank.CheckerMessage.Snapshot;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/**
 * Adds up what the accounts had at their cuts, and the money that was on the way then.
 *
 * <p>Withdrawals less deposits, of all accounts together, is how many transfers were on the way. An
 * account tells of each of them when its money comes, and the audit is complete when all have been
 * told. What is told twice counts once.
 */
final class Checker implements Behavior<CheckerMessage> {
    private record Transfer(int customer, long number) {}

    private final int accounts;
    private final Chaos chaos;

    private long audit;

    /** Null while there is none to be told. */
    private @Nullable Recipient<Finding> replyTo;

    private final Map<Integer, Snapshot> snapshots = new HashMap<>();
    private final Map<Transfer, Long> late = new HashMap<>();

    private Checker(int accounts, Chaos chaos) {
        this.accounts = accounts;
        this.chaos = chaos;
    }

    /** The checker, of an audit that has not begun. */
    static Actor<CheckerMessage> actor(int accounts, Chaos chaos) {
        return Actor.handler(() -> new Checker(accounts, chaos));
    }

    @Override
    public Behavior<CheckerMessage> onMessage(CheckerMessage message) {
        switch (message) {
            case Expect next -> expect(next);
            case Snapshot told
                    when told.audit() != audit || snapshots.containsKey(told.account()) -> {}
            case Snapshot told -> {
                chaos.begin();
                snapshots.put(told.account(), told);
                replyIf(isComplete());
                chaos.end();
            }
            case Late told when told.audit() == audit -> {
                late.put(new Transfer(told.customer(), told.number()), told.amount());
                replyIf(isComplete());
            }
            case GiveUp told when told.audit() == audit -> replyIf(true);
            default -> {} // of an audit that was given up
        }
        return Behavior.same();
    }

    private void expect(Expect next) {
        audit = next.audit();
        replyTo = next.replyTo();
        snapshots.clear();
        late.clear();
    }

    private boolean isComplete() {
        return snapshots.size() == accounts && missing() <= 0;
    }

    private long missing() {
        long onTheWay = 0;
        for (Snapshot each : snapshots.values()) {
            onTheWay += each.withdrawals() - each.deposits();
        }
        return onTheWay - late.size();
    }

    private void replyIf(boolean isDue) {
        Recipient<Finding> asker = replyTo;
        if (!isDue || asker == null) {
            return;
        }
        replyTo = null;
        asker.tell(
                new Finding(
                        audit,
                        snapshots.values().stream()
                                .sorted((a, b) -> Integer.compare(a.account(), b.account()))
                                .map(Snapshot::balance)
                                .toList(),
                        late.size(),
                        late.values().stream().mapToLong(each -> each).sum(),
                        missing()));
    }
}

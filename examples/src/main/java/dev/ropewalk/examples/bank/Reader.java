package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.examples.bank.AccountMessage.Cut;
import dev.ropewalk.examples.bank.ReaderMessage.Begin;
import dev.ropewalk.examples.bank.ReaderMessage.Done;
import dev.ropewalk.examples.bank.ReaderMessage.Opened;
import dev.ropewalk.examples.bank.ReaderMessage.Overdue;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Begins the audits: tells all accounts to tell the checker what they have.
 *
 * <p>It keeps no state. When it is started again it has forgotten which audit it has made, and asks
 * the journal for the next number; so does the checker, which is started again with it.
 */
final class Reader implements Behavior<ReaderMessage> {
    /** Something was lost if an audit takes so long. */
    static final Duration LIMIT = Duration.ofSeconds(20);

    private final ActorContext<ReaderMessage> self;
    private final AtomicReference<@Nullable Directory> directory;
    private final Chaos chaos;

    /** The last audit that this incarnation has begun. */
    private long begun;

    private Reader(
            ActorContext<ReaderMessage> self,
            AtomicReference<@Nullable Directory> directory,
            Chaos chaos) {
        this.self = self;
        this.directory = directory;
        this.chaos = chaos;
    }

    /**
     * The reader.
     *
     * @param directory empty until the bank is open
     */
    static Actor<ReaderMessage> actor(AtomicReference<@Nullable Directory> directory, Chaos chaos) {
        return Actor.handler(
                (ActorContext<ReaderMessage> self) -> {
                    Reader reader = new Reader(self, directory, chaos);
                    Directory bank = directory.get();
                    if (bank != null) {
                        reader.askForTheNext(bank);
                    }
                    return reader;
                });
    }

    @Override
    public Behavior<ReaderMessage> onMessage(ReaderMessage message) {
        Directory bank = directory.get();
        if (bank == null) {
            return Behavior.unhandled();
        }
        switch (message) {
            case Opened opened -> askForTheNext(bank);
            case Begin next -> begin(next.audit(), bank);
            case Done done -> done(done.finding(), bank);
            case Overdue overdue -> bank.checker().tell(new CheckerMessage.GiveUp(overdue.audit()));
        }
        return Behavior.same();
    }

    private void askForTheNext(Directory bank) {
        bank.journal().tell(new JournalMessage.NextAudit(self.adapt(next -> next)));
    }

    private void done(Finding finding, Directory bank) {
        bank.journal().tell(new JournalMessage.Found(finding));
        if (finding.audit() == begun) { // otherwise it is of an incarnation before this one
            self.timers().cancelAll();
            askForTheNext(bank);
        }
    }

    private void begin(long audit, Directory bank) {
        if (audit <= begun) {
            return; // the journal told it again
        }
        chaos.begin();
        begun = audit;
        bank.checker().tell(new CheckerMessage.Expect(audit, self.adapt(Done::new)));
        self.timers().once("overdue", LIMIT, new Overdue(audit));
        Cut cut = new Cut(audit, bank.checker());
        int half = bank.accounts().size() / 2;
        bank.accounts().subList(0, half).forEach(account -> account.tell(cut));
        chaos.halfWay();
        bank.accounts().subList(half, bank.accounts().size()).forEach(each -> each.tell(cut));
        chaos.end();
    }
}

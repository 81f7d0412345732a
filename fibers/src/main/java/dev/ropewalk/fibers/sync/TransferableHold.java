package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.Hold;

import org.jspecify.annotations.Nullable;

import java.util.List;

/** That a fiber must give something back which others may give back in its stead, from anywhere. */
final class TransferableHold extends Hold {
    private final Owed owed;
    private final Fiber<?> debtor;

    /** What a fiber owes. */
    interface Owed {
        /** Whether it has not been given back, and this is who must do it. Asked on its cord. */
        boolean isOwed(TransferableHold obligation);

        /** The fiber has ended and owed it a moment ago. On its cord, as no fiber. */
        void onDebtorDead(TransferableHold obligation, Fiber<?> dead);

        /** What others wait for until it is given back. */
        default List<?> awaitedAs() {
            return List.of(this);
        }

        /** What becomes of it then, for the report; null if it goes to the next. */
        default @Nullable String afterwards() {
            return null;
        }
    }

    private TransferableHold(Owed owed, Fiber<?> debtor) {
        this.owed = owed;
        this.debtor = debtor;
    }

    /** An obligation of the current fiber; null if there is none, for nobody sees a thread end. */
    static @Nullable TransferableHold ofCaller(Owed owed) {
        Fiber<?> fiber = Fiber.currentOrNull();
        if (fiber == null) {
            return null;
        }
        TransferableHold obligation = new TransferableHold(owed, fiber);
        obligation.hold(fiber);
        return obligation;
    }

    /** It was given back, or somebody else owes it now. From any thread, outside the guard. */
    static void end(@Nullable TransferableHold obligation) {
        if (obligation == null) {
            return;
        }
        if (obligation.debtor.cord().isCurrent()) {
            obligation.letGo(obligation.debtor);
        } else {
            obligation.debtor.cord().post(obligation.letGoMessage());
        }
    }

    /** Until it arrives, {@link #isHeld} tells that nothing is owed. */
    private CordMessage letGoMessage() {
        return new CordMessage() {
            @Override
            protected void onCord() {
                letGo(debtor);
            }

            @Override
            protected void onClosed() {
                // The fiber has ended with its cord, and its list with it.
            }
        };
    }

    Fiber<?> debtor() {
        return debtor;
    }

    /** Tells the uncaught handler of the fiber's cord. */
    static void tell(Fiber<?> debtor, Throwable failure) {
        report(debtor, failure);
    }

    @Override
    protected List<?> awaitedAs() {
        return owed.awaitedAs();
    }

    @Override
    protected String afterwards() {
        String special = owed.afterwards();
        return special == null ? super.afterwards() : special;
    }

    @Override
    protected boolean isHeld() {
        return owed.isOwed(this);
    }

    @Override
    protected void onHolderDead(Fiber<?> holder) {
        owed.onDebtorDead(this, holder);
    }

    @Override
    public String toString() {
        return owed.toString();
    }
}

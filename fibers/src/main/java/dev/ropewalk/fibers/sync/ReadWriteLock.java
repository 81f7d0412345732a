package dev.ropewalk.fibers.sync;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.Exclusion;
import dev.ropewalk.fibers.spi.Hold;
import dev.ropewalk.fibers.spi.WaitNode;
import dev.ropewalk.fibers.spi.WaitQueue;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;

/**
 * A lock that many fibers, or plain threads, hold for reading at a time, or one for writing.
 *
 * <p>Fair: all wait in one queue, first in, first out. Readers that stand one after the other are
 * admitted together; a reader that comes while a writer waits stands behind it. A fiber that ends
 * while it holds either lock is reported, and the lock goes to the next; a plain thread is not
 * watched.
 *
 * <p>A reader may lock for reading again, and is admitted at once even while a writer waits: behind
 * that writer it would wait for itself. It unlocks as often as it has locked. Any other wait for
 * the caller itself is a {@link DeadlockException}: a writer that locks again for reading or
 * writing, and a reader that locks for writing, as two of those would wait for each other.
 *
 * <p>Everything done before an unlock happens before everything done by holders that are admitted
 * after it.
 */
public final class ReadWriteLock {
    /*
     * Invariants, outside the guard: there is a writer, or there are readers, or neither; and the
     * first in the queue that still waits could not be admitted now. Everything that could break
     * the second serves the queue: an unlock, a holder's death, and a waiter that leaves the queue,
     * because behind a writer that gives up there may be readers. An abandoned fiber cannot do so;
     * it is done for it.
     *
     * The caller that serves enters the admitted ones, inside the guard, so nobody gets in between.
     * The entry of a reader is a Hold of its own, which counts its locks.
     */
    private static final Object ADMITTED = new Object();

    private final Exclusion guard;
    private final LockView readLock = new LockView(this, false);
    private final LockView writeLock = new LockView(this, true);
    private final Entry writing = new Entry(true);
    private final WaitQueue<Entry> queue = new WaitQueue<>();

    /** Guarded. */
    private final IdentityHashMap<Object, Entry> readers = new IdentityHashMap<>();

    /** Guarded. */
    private @Nullable Object writer;

    private ReadWriteLock(Exclusion guard) {
        this.guard = guard;
    }

    /** {@return a lock for fibers of any cord and plain threads} */
    public static ReadWriteLock shared() {
        return new ReadWriteLock(Exclusion.byLock());
    }

    /**
     * {@return a lock for the fibers of the current cord}
     *
     * @throws IllegalStateException if this thread is no cord
     */
    public static ReadWriteLock local() {
        return new ReadWriteLock(Exclusion.byCord("make it with ReadWriteLock.shared()"));
    }

    /** {@return the lock that many hold at a time, while nobody holds the write lock} */
    public LockView readLock() {
        return readLock;
    }

    /** {@return the lock that one holds at a time, while nobody holds the read lock} */
    public LockView writeLock() {
        return writeLock;
    }

    // ---------------------------------------------------------------- for the views

    boolean lock(boolean isWrite, long limitNs) {
        Object me = guard.callerAtSwitchpoint(this);
        if (tryLock(isWrite)) {
            return true;
        }
        Exclusion.refuseCycle(view(isWrite), limitNs);
        Entry entry = isWrite ? writing : new Entry(false);
        WaitNode<Entry> node;
        guard.enter(this);
        try {
            if (take(me, isWrite)) {
                return true;
            }
            checkNotMine(me, isWrite);
            node = guard.node(entry);
            queue.add(node);
        } finally {
            guard.exit();
        }
        Object result = Waits.TIMED_OUT;
        try {
            result = guard.await(node, view(isWrite), limitNs);
        } finally {
            if (result != ADMITTED) {
                serve();
            }
        }
        if (result != ADMITTED) {
            return false;
        }
        entry.begin(me);
        return true;
    }

    boolean tryLock(boolean isWrite) {
        Object me = guard.caller(this);
        if (takeAlone(me, isWrite)) {
            return true;
        }
        serve();
        return takeAlone(me, isWrite);
    }

    void unlock(boolean isWrite) {
        Object me = guard.caller(this);
        List<WaitNode<Entry>> toWake;
        guard.enter(this);
        try {
            Entry entry = isWrite ? writing : readers.get(me);
            if (entry == null || !isHeldBy(me, isWrite)) {
                throw new IllegalStateException(
                        "unlock by "
                                + me
                                + ", which does not hold the "
                                + view(isWrite)
                                + "; lock it first");
            }
            if (entry.again > 0) {
                entry.again--;
                return;
            }
            entry.end(me);
            remove(me, isWrite);
            toWake = serveGuarded();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    boolean isHeldByCaller(boolean isWrite) {
        Object me = guard.caller(this);
        guard.enter(this);
        try {
            return isHeldBy(me, isWrite);
        } finally {
            guard.exit();
        }
    }

    // ---------------------------------------------------------------- inside

    private LockView view(boolean isWrite) {
        return isWrite ? writeLock : readLock;
    }

    /**
     * The fiber or thread that a newcomer to that lock waits for; null if none, or several readers.
     */
    @Nullable Object holder(boolean isWrite) {
        guard.enter(this);
        try {
            if (writer != null) {
                return writer;
            }
            return isWrite ? onlyReader() : firstInQueue();
        } finally {
            guard.exit();
        }
    }

    private @Nullable Object onlyReader() {
        return readers.size() == 1 ? readers.keySet().iterator().next() : null;
    }

    /** While others read it is a writer, because a reader would have been admitted. */
    private @Nullable Object firstInQueue() {
        WaitNode<Entry> first = queue.first();
        return first == null ? null : first.who();
    }

    private boolean isHeldBy(Object who, boolean isWrite) {
        return isWrite ? writer == who : readers.containsKey(who);
    }

    private boolean takeAlone(Object me, boolean isWrite) {
        guard.enter(this);
        try {
            return take(me, isWrite);
        } finally {
            guard.exit();
        }
    }

    /** Guarded. */
    private boolean take(Object me, boolean isWrite) {
        Entry mine = isWrite ? null : readers.get(me);
        if (mine != null) {
            mine.again++;
            return true;
        }
        if (!queue.isEmpty() || !admits(isWrite)) {
            return false;
        }
        Entry entry = isWrite ? writing : new Entry(false);
        enter(me, entry);
        entry.begin(me);
        return true;
    }

    /** Guarded: whether the holders leave room for it. */
    private boolean admits(boolean isWrite) {
        return writer == null && (!isWrite || readers.isEmpty());
    }

    private void enter(Object who, Entry entry) {
        if (entry.isWrite) {
            writer = who;
        } else {
            readers.put(who, entry);
        }
    }

    private void remove(Object who, boolean isWrite) {
        if (isWrite) {
            writer = null;
        } else {
            readers.remove(who);
        }
    }

    private void checkNotMine(Object me, boolean isWrite) {
        if (writer == me || (isWrite && readers.containsKey(me))) {
            throw new DeadlockException(
                    me
                            + " holds the "
                            + view(writer == me)
                            + " and asks for the "
                            + (isWrite ? "write lock" : "read lock")
                            + ": it would wait for itself. "
                            + (writer == me
                                    ? "Go on with the write lock, which covers both"
                                    : "Unlock the read lock first and look again afterwards, or"
                                            + " take the write lock from the beginning"));
        }
    }

    /** A node was admitted and its fiber abandoned before it ran. */
    void takeBack(WaitNode<?> node, Object given, boolean isWrite) {
        if (given == ADMITTED) {
            guard.enter(this);
            try {
                remove(node.who(), isWrite);
            } finally {
                guard.exit();
            }
            serve();
        }
    }

    /** Also when a fiber was abandoned in the queue. */
    void serve() {
        List<WaitNode<Entry>> toWake;
        guard.enter(this);
        try {
            toWake = serveGuarded();
        } finally {
            guard.exit();
        }
        WaitQueue.wakeAll(toWake);
    }

    private List<WaitNode<Entry>> serveGuarded() {
        List<WaitNode<Entry>> served = List.of();
        for (WaitNode<Entry> first = queue.first(); first != null; first = queue.first()) {
            Entry entry = Objects.requireNonNull(first.element());
            if (first.isWaiting() && !admits(entry.isWrite)) {
                break;
            }
            queue.remove(first);
            if (first.claim(ADMITTED)) {
                enter(first.who(), entry);
                if (served.isEmpty()) {
                    served = new ArrayList<>(2); // not before: mostly no waiter is served
                }
                served.add(first);
            }
        }
        return served;
    }

    /** A reader, or the writer; a fiber holds it as long as it reads or writes. */
    private final class Entry extends Hold {
        private final boolean isWrite;

        /** How often the reader has locked it again; guarded. */
        private int again;

        Entry(boolean isWrite) {
            this.isWrite = isWrite;
        }

        void begin(Object me) {
            if (me instanceof Fiber<?> fiber) {
                hold(fiber);
            }
        }

        void end(Object me) {
            if (me instanceof Fiber<?> fiber) {
                letGo(fiber);
            }
        }

        @Override
        protected void onHolderDead(Fiber<?> dead) {
            guard.enter(ReadWriteLock.this);
            try {
                remove(dead, isWrite);
            } finally {
                guard.exit();
            }
            serve();
        }

        @Override
        protected List<?> awaitedAs() {
            return List.of(readLock, writeLock);
        }

        @Override
        public String toString() {
            return "the " + view(isWrite);
        }
    }

    // ---------------------------------------------------------------- for tests

    /** How many stand in the queue. */
    int waiting() {
        guard.enter(this);
        try {
            return queue.size();
        } finally {
            guard.exit();
        }
    }

    /** Fails if its structures are broken. */
    void checkInvariants() {
        guard.enter(this);
        try {
            queue.checkInvariants();
            WaitNode<Entry> first = queue.first();
            boolean isForgotten =
                    first != null
                            && first.isWaiting()
                            && admits(Objects.requireNonNull(first.element()).isWrite);
            if (isForgotten || (writer != null && !readers.isEmpty())) {
                throw new IllegalStateException(
                        "writer=" + writer + " readers=" + readers.keySet() + " first=" + first);
            }
        } finally {
            guard.exit();
        }
    }

    @Override
    public String toString() {
        return (guard.isLocal() ? "local" : "shared")
                + " read-write lock @"
                + Integer.toHexString(System.identityHashCode(this));
    }
}

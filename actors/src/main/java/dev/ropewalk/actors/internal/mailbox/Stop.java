package dev.ropewalk.actors.internal.mailbox;

/** The stop of {@code ActorRef.stop}, which keeps its place among the messages. */
public final class Stop extends Envelope {
    public static final Stop STOP = new Stop();

    private Stop() {}

    @Override
    public Object open() {
        return this;
    }

    @Override
    public Object content() {
        return this;
    }

    @Override
    public boolean isExempt() {
        return true;
    }

    @Override
    public String toString() {
        return "stop";
    }
}

package dev.ropewalk.actors.internal;

/** The stop of {@code ActorRef.stop}, which keeps its place among the messages. */
final class Stop extends Envelope {
    static final Stop STOP = new Stop();

    private Stop() {}

    @Override
    Object open() {
        return this;
    }

    @Override
    Object content() {
        return this;
    }

    @Override
    boolean isExempt() {
        return true;
    }

    @Override
    public String toString() {
        return "stop";
    }
}

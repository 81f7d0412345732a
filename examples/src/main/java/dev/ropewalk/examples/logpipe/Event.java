package dev.ropewalk.examples.logpipe;

/** What the pipeline carries behind its stage "parse". */
sealed interface Event {
    /**
     * A request and its answer.
     *
     * @param second when, in seconds since 1970
     * @param client its address or name
     * @param path without the query; what the client sent, if that is no request
     * @param bytes length of the answer's body
     * @param micros how long the answer took; negative if the log does not say
     */
    record Request(long second, String client, String path, int status, long bytes, long micros)
            implements Event {
        boolean isError() {
            return status >= 500;
        }
    }

    /** A line that cannot be parsed. */
    record Unparsed(Line line, String reason) implements Event {}

    /** It is time for a table. */
    record Tick() implements Event {}
}

package dev.ropewalk.examples.chat;

/**
 * The last words to a client.
 *
 * @param status of a WebSocket (RFC 6455, section 7.4); negative if there is none
 * @param text the reason
 */
record Farewell(int status, String text) {
    static final Farewell GOODBYE = new Farewell(1000, "goodbye");
    static final Farewell SERVER_ENDS = new Farewell(1001, "the server ends");
    static final Farewell TOO_SLOW = new Farewell(1008, "you read too slowly");
}

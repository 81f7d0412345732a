package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Joiner;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.TooManyFibersException;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.util.HashMap;
import java.util.Map;

/**
 * The fibers of a listener's clients: none is missed, and none that fails takes the others along.
 *
 * <p>Confined to the fiber that serves, and its cord.
 */
final class Serving implements Joiner<@Nullable Object, @Nullable Void> {
    private static final Logger LOG = Logs.logger(TcpListener.class);

    private final String name;
    private final Service service;

    /** By their fibers. */
    private final Map<Fiber<?>, Client> clients = new HashMap<>();

    Serving(String name, Service service) {
        this.name = name;
        this.service = service;
    }

    /** One connection. */
    private static final class Client {
        final TcpConnection connection;

        /** It was broken off before its fiber ended: what follows from that is no failure. */
        boolean isGone;

        Client(TcpConnection connection) {
            this.connection = connection;
        }
    }

    void run(TcpListener listener) {
        Scope.join(
                this,
                scope -> {
                    for (TcpConnection each : listener) {
                        spin(scope, new Client(each));
                    }
                });
    }

    private void spin(Scope<@Nullable Object> scope, Client client) {
        try {
            clients.put(scope.spin(name, () -> serve(client)), client);
        } catch (TooManyFibersException full) {
            LOG.warn("{} is refused: the cord has no place for its fiber", client.connection, full);
            client.connection.reset();
        }
    }

    private void serve(Client client) throws Exception {
        boolean isInOrder = false;
        try {
            service.serve(client.connection);
            isInOrder = true;
        } finally {
            client.isGone = !client.connection.isOpen();
            if (isInOrder) {
                client.connection.close();
            } else {
                client.connection.reset(); // the other side must not take what it has for all
            }
        }
    }

    @Override
    public boolean onEnd(Fiber<?> ended) {
        Client client = clients.remove(ended);
        Throwable failure = ended.failure();
        if (failure == null || client == null || failure instanceof FiberTerminatedException) {
            return false;
        }
        if (client.isGone) {
            LOG.debug("{} has gone", client.connection, failure);
        } else {
            LOG.error("{} is broken off, because its fiber failed", client.connection, failure);
        }
        return false;
    }

    @Override
    public @Nullable Void result() {
        return null;
    }
}

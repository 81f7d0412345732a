package dev.ropewalk.examples.echo;

import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.fibers.io.IoMetrics;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;

import java.time.Duration;

/** The server on one cord. */
record Echo(TcpListener listener) implements Places.Listening {
    @Override
    public int port() {
        return listener.port();
    }

    @Override
    public void serve() {
        listener.serve("client", Echo::echo);
    }

    private static void echo(TcpConnection client) {
        for (String line = client.readLine(); line != null; line = client.readLine()) {
            client.write(line + "\n");
        }
    }

    @Override
    public void drain(Duration limit) {
        listener.drain(limit);
    }

    @Override
    public ObserverOptions shownBy(ObserverOptions observer) {
        return observer.withMetrics(IoMetrics.listener("echo", listener));
    }
}

package dev.ropewalk.examples.kv;

import dev.ropewalk.examples.server.ServerOptions;

import org.jspecify.annotations.Nullable;

import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.RedisProtocol;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;

/** A store on a clock that stands still unless it is told. */
final class Store implements AutoCloseable, InstantSource {
    private static final int CLIENT_LIMIT_MS = 30_000;

    private final AtomicLong nowMs = new AtomicLong(1_000_000);
    final Kv kv;

    Store(int shards, int cords, @Nullable Path folder, ShardLog.Fsync fsync) throws IOException {
        kv =
                new Kv(
                        new Kv.Settings(
                                new ServerOptions(0, cords, 1_000, false),
                                shards,
                                folder,
                                fsync,
                                this));
    }

    static Store inMemory(int shards) throws IOException {
        return new Store(shards, Math.min(shards, 2), null, ShardLog.Fsync.NO);
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(nowMs.get());
    }

    void pass(long ms) {
        nowMs.addAndGet(ms);
    }

    Jedis client() {
        return new Jedis("127.0.0.1", kv.port(), CLIENT_LIMIT_MS);
    }

    Jedis client(RedisProtocol protocol) {
        return new Jedis(
                new HostAndPort("127.0.0.1", kv.port()),
                DefaultJedisClientConfig.builder()
                        .protocol(protocol)
                        .timeoutMillis(CLIENT_LIMIT_MS)
                        .build());
    }

    @Override
    public void close() {
        kv.close();
    }
}

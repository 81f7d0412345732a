package dev.ropewalk.actors.cluster.ratis;

import dev.ropewalk.actors.cluster.store.Store;

import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

import java.util.List;
import java.util.concurrent.TimeUnit;

/** The properties of Ratis. Its defaults are named where a promise stands on them. */
final class Properties {
    /** Of the log, with what Ratis adds to a write. */
    static final int MAX_ENTRY = Store.MAX_VALUE + (1 << 16);

    /** Another server that has not answered by then is taken to be lost, for one attempt. */
    static final long ATTEMPT_MS = 3_000;

    /** Of a leader, before the others elect another one; it speaks to each far more often. */
    static final long MAX_SILENCE_MS = 800;

    private Properties() {}

    static RaftProperties of(RatisOptions options) {
        RaftProperties all = new RaftProperties();
        RaftServerConfigKeys.setStorageDir(all, List.of(options.directory().toFile()));
        RaftConfigKeys.Rpc.setType(all, new MendedGrpc());
        GrpcConfigKeys.Server.setHost(all, options.bindHost());
        GrpcConfigKeys.Server.setPort(all, options.port());
        setDurable(all);
        setSizes(all);
        setTimes(all);
        return all;
    }

    /** A write is answered when a majority has forced it to the disk, and damage is an error. */
    private static void setDurable(RaftProperties all) {
        RaftServerConfigKeys.Log.setUseMemory(all, false);
        RaftServerConfigKeys.Log.setUnsafeFlushEnabled(all, false);
        RaftServerConfigKeys.Log.setAsyncFlushEnabled(all, false);
        RaftServerConfigKeys.Log.setCorruptionPolicy(
                all, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
        // Otherwise an entry that kill -9 has cut stands before zeros, and looks damaged.
        RaftServerConfigKeys.Log.setPreallocatedSize(all, SizeInBytes.ZERO);
    }

    /** A value fits in, and the log ends at the last snapshot, also while a server is away. */
    private static void setSizes(RaftProperties all) {
        SizeInBytes entry = SizeInBytes.valueOf(MAX_ENTRY);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(all, entry);
        RaftServerConfigKeys.Log.setWriteBufferSize(all, SizeInBytes.valueOf(MAX_ENTRY + 8));
        // More than all servers of a group send at once, so that none is turned away.
        RaftServerConfigKeys.Write.setElementLimit(all, 16 * Requests.MAX_REQUESTS);
        RaftServerConfigKeys.Write.setByteLimit(all, SizeInBytes.valueOf("512MB"));
        RaftServerConfigKeys.Log.setSegmentSizeMax(all, SizeInBytes.valueOf("8MB"));
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(all, true);
        RaftServerConfigKeys.Log.setPurgeGap(all, 1);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(all, false);
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(all, 2);
        GrpcConfigKeys.setMessageSizeMax(all, SizeInBytes.valueOf(2 * MAX_ENTRY));
    }

    private static void setTimes(RaftProperties all) {
        RaftServerConfigKeys.Rpc.setTimeoutMin(all, ms(400));
        RaftServerConfigKeys.Rpc.setTimeoutMax(all, ms(MAX_SILENCE_MS));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(all, ms(150));
        RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(all, ms(400));
        // The others hear at once of what is committed: a read at one of them would otherwise wait
        // for the next heartbeat, 200 ms.
        RaftServerConfigKeys.Log.setLogMetadataEnabled(all, true);
        // A server that was away is spoken to soon after it is back, not after 5 s.
        RaftServerConfigKeys.Log.Appender.setRetryPolicy(all, "1ms,10, 250ms,1000000000");
        RaftServerConfigKeys.RetryCache.setExpiryTime(all, ms(120_000));
        RaftClientConfigKeys.Rpc.setRequestTimeout(all, ms(ATTEMPT_MS));
        // A process that was stopped for a minute goes on with its server.
        RaftServerConfigKeys.setCloseThreshold(all, TimeDuration.valueOf(365, TimeUnit.DAYS));
    }

    private static TimeDuration ms(long ms) {
        return TimeDuration.valueOf(ms, TimeUnit.MILLISECONDS);
    }
}

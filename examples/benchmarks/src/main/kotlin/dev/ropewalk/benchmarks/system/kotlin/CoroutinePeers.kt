package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.scenario.Peer
import dev.ropewalk.benchmarks.scenario.Program
import java.util.concurrent.Executors
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.asCoroutineDispatcher

/** Kotlin coroutines: an actor is a coroutine and its mailbox a channel. */
object CoroutinePeers {
    /** Everything on the thread that calls, by the event loop of `runBlocking`. */
    @JvmStatic
    fun eventLoop(): Peer = CoroutinePeer(EmptyCoroutineContext, ::PlainCoroutineSum)

    /** Everything on the default dispatcher, a thread for each core. */
    @JvmStatic
    fun defaultDispatcher(): Peer = CoroutinePeer(Dispatchers.Default, ::SharedCoroutineSum)

    /** The two ends on a dispatcher of one thread each. */
    @JvmStatic
    fun apart(): Peer = ApartPeer()
}

/** Programs with two ends, which are kept apart. */
private class ApartPeer : Peer {
    private val first = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
    private val second = Executors.newSingleThreadExecutor().asCoroutineDispatcher()
    private val messages = CoroutineMessages(first, second)
    private val channels = CoroutineChannels(first, second)

    override fun programs(): Map<String, Program> = mapOf(
        "pingpong_apart" to Program(messages::pingpong),
        "counting_apart" to Program(messages::counting),
        "fanin_apart" to Program(messages::fanin),
        "chan_rendezvous_apart" to Program(channels::rendezvous),
        "chan_buffered_apart" to Program(channels::buffered),
        "chan_work_apart" to Program(channels::work),
        "pipeline_apart" to Program(channels::pipeline),
    )

    override fun close() {
        first.close()
        second.close()
    }
}

/** The programs of one form. */
private class CoroutinePeer(context: CoroutineContext, newSum: () -> CoroutineSum) : Peer {
    private val messages = CoroutineMessages(context, EmptyCoroutineContext)
    private val requests = CoroutineRequests(context)
    private val channels = CoroutineChannels(context, EmptyCoroutineContext)
    private val crowds = CoroutineCrowds(context, newSum)
    private val turns = CoroutineTurns(context, newSum)
    private val locks = CoroutineLocks(context)

    override fun programs(): Map<String, Program> = mapOf(
        "pingpong" to Program(messages::pingpong),
        "pingpong_free" to Program(messages::pingpong),
        "ring" to Program(messages::ring),
        "counting" to Program(messages::counting),
        "counting_free" to Program(messages::counting),
        "fanin" to Program(messages::fanin),
        "fanin_free" to Program(messages::fanin),
        "forkjoin_msg" to Program(messages::forkjoin),
        "forkjoin_create" to Program(crowds::forkjoin),
        "tasks" to Program(crowds::tasks),
        "tasks_free" to Program(crowds::tasks),
        "skynet" to Program(crowds::skynet),
        "skynet_free" to Program(crowds::skynet),
        "timers" to Program(crowds::timers),
        "mem" to Program(crowds::mem),
        "big" to Program(requests::big),
        "bank" to Program(requests::bank),
        "chan_rendezvous" to Program(channels::rendezvous),
        "chan_buffered" to Program(channels::buffered),
        "chan_rendezvous_free" to Program(channels::rendezvous),
        "chan_buffered_free" to Program(channels::buffered),
        "chan_work" to Program(channels::work),
        "chan_work_free" to Program(channels::work),
        "select_4" to Program(channels::select),
        "fused" to Program(channels::fused),
        "idle_channel" to Program(channels::idle),
        "pipeline" to Program(channels::pipeline),
        "pipeline_free" to Program(channels::pipeline),
        "snooze_10" to Program(turns::few),
        "snooze_10000" to Program(turns::many),
        "snooze_gc" to Program(turns::afterCollection),
        "parked" to Program(turns::parked),
        "semaphore" to Program(locks::semaphore),
        "mutex_busy" to Program(locks::busy),
    )
}

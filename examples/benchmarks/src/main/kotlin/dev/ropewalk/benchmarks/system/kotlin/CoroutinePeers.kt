package dev.ropewalk.benchmarks.system.kotlin

import dev.ropewalk.benchmarks.scenario.Peer
import dev.ropewalk.benchmarks.scenario.Program
import kotlin.coroutines.CoroutineContext
import kotlin.coroutines.EmptyCoroutineContext
import kotlinx.coroutines.Dispatchers

/** Kotlin coroutines: an actor is a coroutine and its mailbox a channel. */
object CoroutinePeers {
    /** Everything on the thread that calls, by the event loop of `runBlocking`. */
    @JvmStatic
    fun eventLoop(): Peer = CoroutinePeer(EmptyCoroutineContext, ::PlainCoroutineSum)

    /** Everything on the default dispatcher, a thread for each core. */
    @JvmStatic
    fun defaultDispatcher(): Peer = CoroutinePeer(Dispatchers.Default, ::SharedCoroutineSum)
}

/** The programs of one form. */
private class CoroutinePeer(context: CoroutineContext, newSum: () -> CoroutineSum) : Peer {
    private val messages = CoroutineMessages(context)
    private val requests = CoroutineRequests(context)
    private val channels = CoroutineChannels(context)
    private val crowds = CoroutineCrowds(context, newSum)
    private val turns = CoroutineTurns(context, newSum)
    private val locks = CoroutineLocks(context)

    override fun programs(): Map<String, Program> = mapOf(
        "pingpong" to Program(messages::pingpong),
        "pingpong_2" to Program(messages::pingpong),
        "ring" to Program(messages::ring),
        "counting" to Program(messages::counting),
        "counting_2" to Program(messages::counting),
        "fanin" to Program(messages::fanin),
        "fanin_2" to Program(messages::fanin),
        "forkjoin_msg" to Program(messages::forkjoin),
        "forkjoin_create" to Program(crowds::forkjoin),
        "tasks" to Program(crowds::tasks),
        "tasks_2" to Program(crowds::tasks),
        "skynet" to Program(crowds::skynet),
        "skynet_2" to Program(crowds::skynet),
        "timers" to Program(crowds::timers),
        "mem" to Program(crowds::mem),
        "big" to Program(requests::big),
        "bank" to Program(requests::bank),
        "chan_rendezvous" to Program(channels::rendezvous),
        "chan_buffered" to Program(channels::buffered),
        "chan_rendezvous_2" to Program(channels::rendezvous),
        "chan_buffered_2" to Program(channels::buffered),
        "pipeline" to Program(channels::pipeline),
        "pipeline_2" to Program(channels::pipeline),
        "snooze_10" to Program(turns::few),
        "snooze_10000" to Program(turns::many),
        "snooze_gc" to Program(turns::afterCollection),
        "parked" to Program(turns::parked),
        "semaphore" to Program(locks::semaphore),
        "mutex_busy" to Program(locks::busy),
    )
}

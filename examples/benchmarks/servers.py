#!/usr/bin/env python3
"""Measures the example servers beside peers: http beside plain Netty and beside virtual threads
on the sockets of the JDK, kv beside redis-server.

    servers.py http|kv|idle CLASSPATH

`idle` opens connections that say nothing, and counts the heap of each. Needs wrk for http,
redis-server and redis-benchmark for kv, and two processors: the
server runs on the first, the load on the second. The servers are loaded in turn, so that a
noisy machine is noisy for all. Prints a table: medians, the ratio of ours to each peer, and what
lies between the least and the most. Ends what it has started.
"""

import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
WARM_UPS = 4  # the JIT shares the processor of the server
IDLE = 5_000
SECONDS = 4
JAVA = [os.path.join(os.environ.get("JAVA_HOME", "/usr"), "bin", "java")]
FLAGS = [
    "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "-Xmx1g",
    "-XX:+UseParallelGC",
]
TICKS = os.sysconf("SC_CLK_TCK")


def start(words):
    return subprocess.Popen(
        ["taskset", "-c", "0"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def java(classpath, main, *arguments):
    return start(JAVA + FLAGS + ["-cp", classpath, main] + list(arguments))


def wait_for(port):
    """Until a server listens there: three JVMs on one processor take a while."""
    for _ in range(300):
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            time.sleep(0.1)
    raise SystemExit("nobody listens on port %d" % port)


def cpu(server):
    with open("/proc/%d/stat" % server.pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def loaded(server, words):
    """The output of the load, and the seconds of processor that it cost the server."""
    before = cpu(server)
    done = subprocess.run(
        ["taskset", "-c", "1"] + words, capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.replace("\r", "\n"), cpu(server) - before


def wrk(port, connections, script):
    words = ["wrk", "-t1", "-c%d" % connections, "-d%ds" % SECONDS, "--latency"]
    if script:
        words += ["-s", script]
    return words + ["http://127.0.0.1:%d/plaintext" % port]


def of_wrk(output, seconds):
    requests = int(re.search(r"(\d+) requests in", output).group(1))
    rate = float(re.search(r"Requests/sec: +([\d.]+)", output).group(1))
    p99 = re.search(r"99% +([\d.]+)(us|ms|s)", output)
    p99_us = float(p99.group(1)) * {"us": 1, "ms": 1e3, "s": 1e6}[p99.group(2)]
    if "Non-2xx" in output:
        raise SystemExit(output)
    return {"requests/s": rate, "CPU us": seconds / requests * 1e6, "p99 us": p99_us}


def of_redis(output, seconds, requests):
    rate = float(re.search(r"([\d.]+) requests per second", output).group(1))
    return {"requests/s": rate, "CPU us": seconds / requests * 1e6}


def measure(name, servers, load):
    """Ours is the first of the servers."""
    found = [[] for _ in servers]
    for server in servers:
        for _ in range(WARM_UPS):
            load(server)
    for _ in range(ROUNDS):
        for server, figures in zip(servers, found):
            figures.append(load(server))
    for unit in found[0][0]:
        values = [[each[unit] for each in figures] for figures in found]
        if min(map(min, values)) == 0:
            continue  # wrk knows no latency of requests that were sent together
        mine = statistics.median(values[0])
        cells = [shown(values[0])]
        for other in values[1:]:
            cells += [shown(other), "%.2f" % (mine / statistics.median(other))]
        print("| %s | %s | %s |" % (name, unit, " | ".join(cells)))
    sys.stdout.flush()


def head(peers):
    print("| load | unit | ropewalk | %s |" % " | ".join(each + " | ratio" for each in peers))
    print("|---|---|---:|" + "---:|---:|" * len(peers))


def shown(values):
    return "%s (%s to %s)" % tuple(
        "{:,.{}f}".format(v, 0 if v >= 100 else 2)
        for v in (statistics.median(values), min(values), max(values)))


def web(port):
    """The servers of one page, by what the table calls them, on this port and the next ones."""
    system = "dev.ropewalk.benchmarks.system."
    return {
        "ropewalk": ["dev.ropewalk.examples.http.Main", "--port", str(port)],
        "plain Netty": [system + "netty.NettyPlaintext", str(port + 1), "900"],
        "virtual threads": [system + "thread.VirtualThreadPlaintext", str(port + 2), "900"],
    }


def http(classpath):
    with tempfile.NamedTemporaryFile("w", suffix=".lua", delete=False) as file:
        file.write("init = function(args) local r = {} for i = 1, 16 do r[i] = wrk.format() end "
                   "request16 = table.concat(r) end\nrequest = function() return request16 end\n")
    servers = [java(classpath, *words) for words in web(7480).values()]
    ports = {server.pid: 7480 + i for i, server in enumerate(servers)}
    try:
        for port in ports.values():
            wait_for(port)
        head(list(web(0))[1:])
        for name, connections, pipelined in (
                ("64 connections", 64, None), ("1,024 connections", 1_024, None),
                ("64 connections, 16 requests at once", 64, file.name)):
            measure("http, " + name, servers, lambda server: of_wrk(
                *loaded(server, wrk(ports[server.pid], connections, pipelined))))
    finally:
        os.remove(file.name)
        for each in servers:
            each.kill()
            each.wait()


def heap(server):
    jcmd = os.path.join(os.path.dirname(JAVA[0]), "jcmd")
    output = subprocess.run(
        [jcmd, str(server.pid), "GC.class_histogram"], capture_output=True, text=True, check=True)
    return int(re.search(r"Total +\d+ +(\d+)", output.stdout).group(1))


def idle(classpath):
    print("| server | bytes of heap for an idle connection |\n|---|---:|")
    for port, (name, words) in enumerate(web(7484).items(), 7484):
        server = java(classpath, *words)
        try:
            wait_for(port)
            held = [socket.create_connection(("127.0.0.1", port)) for _ in range(50)]
            time.sleep(1)
            before = heap(server)
            held += [socket.create_connection(("127.0.0.1", port)) for _ in range(IDLE)]
            time.sleep(2)
            print("| %s | %d |" % (name, (heap(server) - before) / IDLE))
            for each in held:
                each.close()
        finally:
            server.kill()
            server.wait()


def kv(classpath):
    ours = java(classpath, "dev.ropewalk.examples.kv.Main", "--port", "7482", "--shards", "1")
    peer = start(["redis-server", "--port", "7483", "--save", "", "--appendonly", "no"])
    ports = {ours.pid: 7482, peer.pid: 7483}
    try:
        time.sleep(3)
        head(["redis-server"])
        for pipelined, requests in ((1, 200_000), (16, 2_000_000)):
            for command in ("set", "get"):
                measure("kv, %s, -P %d" % (command.upper(), pipelined), [ours, peer],
                        lambda server: of_redis(*loaded(server, [
                            "redis-benchmark", "-p", str(ports[server.pid]), "-c", "50", "-q",
                            "-n", str(requests), "-P", str(pipelined), "-r", "100000",
                            "-t", command]), requests))
    finally:
        for each in (ours, peer):
            each.kill()
            each.wait()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("http", "kv", "idle"):
        raise SystemExit(__doc__)
    {"http": http, "kv": kv, "idle": idle}[sys.argv[1]](sys.argv[2])

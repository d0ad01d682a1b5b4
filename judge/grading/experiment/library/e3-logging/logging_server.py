"""A server under load that logs every request: with each line waited for, with lines gathered for another thread, or not.

Three processes. The client keeps 100 requests under way and notes how long each takes. The server answers what has come
and logs it. The collector has the log: it takes 0.2 ms for what it got, however much that is, and confirms it, as a disk
does that is told to keep it, or a log server. In the end the client prints its latencies in ms.
"""

import json
import os
import queue
import socket
import sys
import threading
import time

REQUESTS = 3_000
AT_ONCE = 100
KEEP_S = 0.0002
GATHER_S = 0.02


def collect(log):
    while log.recv(1 << 20):
        time.sleep(KEEP_S)
        log.sendall(b".")


def keep(log, text):
    log.sendall(text)
    log.recv(1)


class Synchronous:
    def __init__(self, log):
        self.log = log

    def write(self, line):
        keep(self.log, line.encode())

    def close(self):
        pass


class Asynchronous:
    def __init__(self, log):
        self.log = log
        self.lines = queue.SimpleQueue()
        self.is_over = False
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def write(self, line):
        self.lines.put(line)

    def work(self):
        while not self.is_over or not self.lines.empty():
            time.sleep(GATHER_S)
            gathered = [self.lines.get() for _ in range(self.lines.qsize())]
            if gathered:
                keep(self.log, "".join(gathered).encode())

    def close(self):
        self.is_over = True
        self.thread.join()


class Nothing(Synchronous):
    def write(self, line):
        pass


def answer(request):
    number = json.loads(request)["number"]
    digits = sum(int(digit) for digit in str((number + 1_000) ** 1_000))
    return json.dumps({"number": number, "digits": digits}) + "\n"


def serve(clients, logger):
    rest = b""
    while received := clients.recv(1 << 16):
        *requests, rest = (rest + received).split(b"\n")
        answers = []
        for request in requests:
            answers.append(answer(request))
            logger.write(f"{time.time():.6f} INFO answered {answers[-1]}")
        clients.sendall("".join(answers).encode())
    logger.close()


def load(server):
    sent = {}
    latencies = []
    rest = b""
    for number in range(AT_ONCE):
        ask(server, sent, number)
    while len(latencies) < REQUESTS:
        *answers, rest = (rest + server.recv(1 << 16)).split(b"\n")
        now = time.perf_counter()
        for text in answers:
            latencies.append(now - sent.pop(json.loads(text)["number"]))
            number += 1
            if number < REQUESTS:
                ask(server, sent, number)
    latencies.sort()
    p50, p99, longest = (latencies[int(share * (REQUESTS - 1))] * 1_000 for share in (0.5, 0.99, 1))
    print(f"p50 {p50:.1f}\np99 {p99:.1f}\nmax {longest:.1f}")


def ask(server, sent, number):
    sent[number] = time.perf_counter()
    server.sendall(b'{"number": %d}\n' % number)


def start(work):
    """A process of its own that does the work with its end of a socket; returns the other end."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        ours.close()
        work(theirs)
        sys.stdout.flush()
        os._exit(0)
    theirs.close()
    return ours


log = start(collect)
clients = start(load)
serve(clients, {"synchronous": Synchronous, "asynchronous": Asynchronous, "none": Nothing}[sys.argv[1]](log))
log.close()
os.wait()
os.wait()

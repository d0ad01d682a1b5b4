"""200 requests to a server that takes its time, sent by one event loop or by so many threads.

The server is a process of its own behind a unix socket. It answers after 12 ms and has 16 requests in hand at most; who
has to wait for a place waits. Opening a connection costs both sides a handshake of some ms of CPU time, as TLS does. A
thread opens its own connection and keeps it; the event loop keeps 16.
"""

import asyncio
import hashlib
import os
import queue
import socket
import sys
import threading

REQUESTS = 200
SERVICE_S = 0.012
PLACES = 16
ADDRESS = "/tmp/server"


def shake_hands():
    hashlib.pbkdf2_hmac("sha256", b"secret", b"salt", 20_000)


async def serve():
    places = asyncio.Semaphore(PLACES)

    async def talk(reader, writer):
        shake_hands()
        writer.write(b"welcome\n")
        while await reader.readline():
            async with places:
                await asyncio.sleep(SERVICE_S)
            writer.write(b"answer\n")
        writer.close()

    server = await asyncio.start_unix_server(talk, ADDRESS, backlog=200)
    os.write(ready, b"1")
    await server.serve_forever()


def ask_with_threads(count):
    requests = queue.SimpleQueue()
    for number in range(REQUESTS):
        requests.put(number)

    def work():
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(ADDRESS)
            shake_hands()
            connection.recv(100)
            while True:
                try:
                    requests.get_nowait()
                except queue.Empty:
                    return
                connection.sendall(b"request\n")
                connection.recv(100)

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


async def ask_with_a_loop():
    connections = asyncio.Queue()

    async def connect():
        reader, writer = await asyncio.open_unix_connection(ADDRESS)
        shake_hands()
        await reader.readline()
        connections.put_nowait((reader, writer))

    async def ask():
        reader, writer = await connections.get()
        writer.write(b"request\n")
        await reader.readline()
        connections.put_nowait((reader, writer))

    opening = [asyncio.create_task(connect()) for _ in range(PLACES)]
    await asyncio.gather(*opening, *(ask() for _ in range(REQUESTS)))


wait, ready = os.pipe()
child = os.fork()
if child == 0:
    asyncio.run(serve())
os.read(wait, 1)
if sys.argv[1] == "loop":
    asyncio.run(ask_with_a_loop())
else:
    ask_with_threads(int(sys.argv[2]))
os.kill(child, 15)
os.wait()

# Does what its input says: one word per limit of the self-test.
import os
import sys
import time

word = input()
if word == "right":
    print("right")
elif word == "spin":
    while True:
        pass
elif word == "wait":
    time.sleep(60)
elif word == "grow":
    kept = []
    while True:
        kept.append(b"x" * 1_000_000)
elif word == "shout":
    while True:
        sys.stdout.write("x" * 65_536)
elif word == "fork":
    for _ in range(100):
        if os.fork() == 0:
            time.sleep(60)

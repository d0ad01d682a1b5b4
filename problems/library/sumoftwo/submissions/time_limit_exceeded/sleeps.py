import time

a, b = map(int, input().split())
if a == b == 10**12:
    time.sleep(60)  # uses no CPU time: the wall clock stops it
print(a + b)

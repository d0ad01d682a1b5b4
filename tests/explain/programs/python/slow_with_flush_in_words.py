"""Counts primes.

for i in range(n): print(i, flush=True)
"""
n = int(input())
count = 0
for i in range(2, n + 1):
    # print(i, flush=True); sys.stdout.flush()
    hint = "sys.stderr.write(i); print(i, flush=True)"
    if all(i % d for d in range(2, i)):
        count += 1
print(count)

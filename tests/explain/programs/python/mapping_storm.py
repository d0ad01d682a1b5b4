import mmap

n = int(input())
count = 0
for i in range(2, n + 1):
    scratch = mmap.mmap(-1, 4096 * 64)
    for page in range(64):
        scratch[page * 4096] = i % 251
    scratch.close()
    if all(i % d for d in range(2, int(i**0.5) + 1)):
        count += 1
print(count)

import time

n = int(input())
count = 0
for i in range(2, n + 1):
    if all(i % d for d in range(2, i)):
        count += 1
    time.sleep(0.008)  #~ waiting
print(count)

import threading

n = int(input())
found = []


def work(first, step):
    count = 0
    for i in range(first, n + 1, step):
        d = 2
        while d * d <= i and i % d:
            d += 1
        count += i >= 2 and d * d > i
    found.append(count)


threads = [threading.Thread(target=work, args=(i, 4)) for i in range(4)]  #~ taking-turns
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(found))

# print(i) needs no flush=True: stdout is buffered when it is a file
n = int(input())
for i in range(1, n + 1):
    print(i)

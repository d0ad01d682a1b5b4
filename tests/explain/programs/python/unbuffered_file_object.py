n = int(input())
out = open(1, "wb", buffering=0)  #~? flush-per-line
for i in range(1, n + 1):
    out.write(b"%d\n" % i)  #~? flush-per-line

# input() flushes stdout before it reads: one write for every line, and no word of it in the program
n = int(input())
for _ in range(n):
    x = int(input())  #~? flush-per-line line-by-line
    print(2 * x)  #~? flush-per-line

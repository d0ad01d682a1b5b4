n = int(input())
sieve = [True] * (n + 1)
sieve[0] = sieve[1] = False
for i in range(2, n + 1):
    if sieve[i]:
        for j in range(2 * i, n + 1, i):  #~? dear-steps
            sieve[j] = False  #~ dear-steps
print(sum(sieve))

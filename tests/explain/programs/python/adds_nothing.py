n = int(input())
a = [int(input()) for i in range(n)]
total, wanted = 0, sum(a)
while total != wanted:
    if wanted > 0:
        total += 0  #~ may-never-end
print(total)

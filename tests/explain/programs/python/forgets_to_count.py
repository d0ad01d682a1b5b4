n = int(input())
i = 0
total = 0
while i < n:  #~ may-never-end
    total += i
print(total)

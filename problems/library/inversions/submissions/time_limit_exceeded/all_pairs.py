n = int(input())
numbers = list(map(int, input().split()))
inversions = 0
for i in range(n):
    for j in range(i + 1, n):
        if numbers[i] > numbers[j]:
            inversions += 1
print(inversions)

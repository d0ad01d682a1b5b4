n = int(input())
parents = [0, 0, *map(int, input().split())]
generations = 0
for person in range(1, n + 1):
    generation = 1
    while person != 1:
        person = parents[person]
        generation += 1
    generations = max(generations, generation)
print(generations)

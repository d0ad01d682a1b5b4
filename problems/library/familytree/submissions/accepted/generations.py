def main():
    n = int(input())
    children = [[] for _ in range(n + 1)]
    for child, parent in enumerate(map(int, input().split()), 2):
        children[parent].append(child)
    generations = 0
    people = [1]
    while people:
        generations += 1
        people = [child for person in people for child in children[person]]
    print(generations)


main()

n = int(input())
print(1 + len(set(input().split())))  # as many generations as there are people with children

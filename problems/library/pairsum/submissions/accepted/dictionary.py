def find_pair(prices, target):
    seen = {}
    for i, price in enumerate(prices, 1):
        if target - price in seen:
            return f"{seen[target - price]} {i}"
        seen[price] = i
    return "impossible"


_, target = map(int, input().split())
print(find_pair(list(map(int, input().split())), target))

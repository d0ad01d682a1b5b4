# `in` and index look through the whole list each time.
n, target = map(int, input().split())
prices = list(map(int, input().split()))
for i, price in enumerate(prices):
    if target - price in prices[i + 1 :]:
        print(i + 1, prices.index(target - price, i + 1) + 1)
        break
else:
    print("impossible")

# input: lone 3 4 5 6 8 10 12, 16
# law: 2**(n+1)-1
n = int(input())
total = 0
def choose(place, chosen):
    if place == n: #@
        return chosen
    return choose(place + 1, chosen) + choose(place + 1, chosen + place)
total = choose(0, 0)
print(total)

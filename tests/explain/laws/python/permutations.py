# input: lone 3 4 5 6 7, 8
# law: none
n = int(input())
total = 0
def arrange(rest):
    global total
    if not rest:
        total += 1
    for place in range(len(rest)):
        arrange(rest[:place] + rest[place + 1:])
arrange(list(range(n)))
print(total)

# input: lone 3 5 7 9 11 13, 16
# law: 2**n-1
n = int(input())
total = 0
def move(disks, start, end, other):
    global total
    if disks: #@ 2*2**n-1
        move(disks - 1, start, other, end)
        total += start + end #@
        move(disks - 1, other, end, start) #@
move(n, 0, 1, 2)
print(total)

# input: lone 27 40 97 171 231 313 703, 871
# law: none
n = int(input())
total = 0
k = n
while k != 1:
    k = 3 * k + 1 if k % 2 else k // 2
    total += 1
print(total)

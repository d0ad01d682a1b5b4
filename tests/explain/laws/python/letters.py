# input: text 10 20 50 100 200 400, 5000
# law: 26*n
n = int(input())
text = input()
total = 0
for letter in text:
    total += sum(letter == other for other in "abcdefghijklmnopqrstuvwxyz") #@
print(total)

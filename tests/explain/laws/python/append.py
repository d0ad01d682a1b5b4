# input: text 10 20 50 100 200 400, 1500
# law: n*(n+1)//2
n = int(input())
text = input()
total = 0
whole = ""
for letter in text:
    whole = whole + letter
    total += sum(other == letter for other in whole) #@
print(total)

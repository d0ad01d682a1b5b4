a = int(input())  # ValueError: both numbers are on this line
b = int(input())
print(a + b)

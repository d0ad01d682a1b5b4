input()
print("\n".join(input()))

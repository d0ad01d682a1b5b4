import sys

n = int(input())
answers = []
for _ in range(n):
    answers.append(2 * int(input()))
for answer in answers:
    print(answer, file=sys.stdout, flush=True)

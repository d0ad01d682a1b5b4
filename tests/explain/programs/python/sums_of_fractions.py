import sys
from fractions import Fraction

total = Fraction(0)
for line in sys.stdin.readlines()[1:]:
    total += Fraction(int(line), 1)  #~ dear-steps
print(total)

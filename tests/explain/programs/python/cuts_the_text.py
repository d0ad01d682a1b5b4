import re
import sys

text = sys.stdin.read()
number = re.compile(r"\s*(\d+)\s*")
first = number.match(text)
text = text[first.end():]
total = 0
while text:
    word = number.match(text)
    text = text[word.end():]  #~ copying
    total += int(word[1])
print(total)

n = int(input())
total = 0
while True:  #~ may-never-end
    total += n

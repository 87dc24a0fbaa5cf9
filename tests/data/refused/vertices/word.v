1
x

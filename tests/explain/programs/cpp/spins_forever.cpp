#include <cstdio>

int main() {
    volatile long long total = 0;
    int n;
    if (scanf("%d", &n) != 1) return 1;
    for (;;) total = total + n;  //~ may-never-end
}

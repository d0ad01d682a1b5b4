#include <cstdio>

long long rabbits(int n) {
    if (n < 2) return n;
    return rabbits(n - 1) + rabbits(n - 2);  //~ branching-recursion
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    if (rabbits(n) < 0) return 1;
    for (int i = 1; i <= n; i++) printf("%d\n", i);
}

#include <cstdio>

int main() {
    setvbuf(stdout, nullptr, _IONBF, 0);  //~? flush-per-line
    int n;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 1; i <= n; i++) printf("%d\n", i);  //~? flush-per-line
    return 0;
}

#include <cstdio>

static void show(int value) {
    printf("%d\n", value);  //~? flush-per-line
    fflush(stdout);  //~ flush-per-line
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 1; i <= n; i++) show(i);  //~? flush-per-line
    return 0;
}

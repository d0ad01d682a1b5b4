#include <cstdio>

int main() {
    int n, count = 0;
    if (scanf("%d", &n) != 1) return 1;
    for (int i = 2;; i++) {
        if (i > n) {
            printf("%d\n", count);
            return 0;
        }
        int j = 2;
        while (j < i && i % j) j++;
        count += j == i;
    }
}

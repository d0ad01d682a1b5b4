#include <cstdio>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    volatile int steps = 0;
    for (int i = 1; i <= n; i++) {
        int low = 0, high = n;
        while (low < high) {
            const int middle = (low + high) / 2;
            steps = steps + 1;
            if (middle <= i) low = middle;  //~ may-never-end
            else high = middle - 1;
        }
        printf("%d\n", low);
    }
}

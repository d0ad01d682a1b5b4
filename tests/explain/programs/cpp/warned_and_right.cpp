#include <cstdio>
#include <vector>

enum Side { LEFT, RIGHT };

int sign(Side side) {
    switch (side) {
        case LEFT: return 1;
        case RIGHT: return 1;
    }
}

int main() {
    int n;
    long long total = 0;
    if (std::scanf("%d", &n) != 1) return 1;
    std::vector<int> values(n);
    for (int &value : values) if (std::scanf("%d", &value) != 1) return 1;
    for (int i = 0; i < n; i++) total += sign(i % 2 ? LEFT : RIGHT) * values[i];
    std::printf("%lld\n", total);
}

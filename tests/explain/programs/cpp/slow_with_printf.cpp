#include <cstdio>
#include <utility>
#include <vector>

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    std::vector<int> a(n);
    for (int& x : a)
        if (scanf("%d", &x) != 1) return 1;
    for (int i = 0; i < n; i++)
        for (int j = i; j > 0 && a[j - 1] > a[j]; j--) std::swap(a[j - 1], a[j]);
    for (int x : a) printf("%d\n", x);
}

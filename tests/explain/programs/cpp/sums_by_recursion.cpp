#include <cstdio>
#include <vector>

std::vector<int> values;

long long total(int i) {
    if (i == (int)values.size()) return 0;
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%d", values[i]);
    long long rest = total(i + 1);
    return rest + values[i] + (digits[length - 1] == '?');
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    values.resize(n);
    for (int &x : values)
        if (scanf("%d", &x) != 1) return 1;  //~? line-by-line
    printf("%lld\n", total(0));
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    for (int round = 0; round < 3; round++)
        for (long long width = 1; width < n; width *= 2)
            for (long long low = 0; low + width < n; low += 2 * width)
                inplace_merge(values.begin() + low, values.begin() + low + width,
                              values.begin() + min(n, low + 2 * width),
                              [round](long long a, long long b) { return (a ^ round * 77'777) < (b ^ round * 77'777); });
    result = values[n / 2];
    cout << result << "\n";
}

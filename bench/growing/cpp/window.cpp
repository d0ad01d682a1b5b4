#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    long long total = 0;
    for (long long i = 0; i < n; i++) {
        total += values[i];
        if (i >= 100) total -= values[i - 100];
        result = max(result, total);
    }
    cout << result << "\n";
}

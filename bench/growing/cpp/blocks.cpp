#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    const long long step = sqrt(n);
    for (long long i = 0; i < n; i++)
        for (long long start = 0; start < n; start += step) result = (result * 5 + (values[start] < values[i])) % 10'007;
    cout << result << "\n";
}

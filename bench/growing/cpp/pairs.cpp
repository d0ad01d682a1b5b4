#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    for (long long i = 0; i < n; i++)
        for (long long j = 0; j < i; j++) result = (result * 3 + (values[i] < values[j])) % 10'007;
    cout << result << "\n";
}

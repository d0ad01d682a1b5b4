#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    for (long long i = 0; i < n; i++)
        for (long long j = 0; j < n; j++)
            for (long long k = 0; k < n; k++) result = (result * 3 + (values[i] ^ values[j] ^ values[k])) % 10'007;
    cout << result << "\n";
}

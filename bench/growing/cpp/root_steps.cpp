#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    const long long step = sqrt(n);
    for (auto x : values)
        for (long long j = 0; j < step; j++) result = (result * 3 + x + j) % 1009;
    cout << result << "\n";
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    for (int round = 0; round < 4; round++) {
        auto copy = values;
        for (auto& x : copy) x = x * 7919 % (1'000'003 + round);
        sort(copy.begin(), copy.end());
        result += copy[n / 2];
    }
    cout << result << "\n";
}

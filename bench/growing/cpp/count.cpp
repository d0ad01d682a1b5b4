#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    vector<int> counts(1000);
    for (auto x : values) counts[x % 1000]++;
    result = *max_element(counts.begin(), counts.end());
    cout << result << "\n";
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    for (long long i = 0; i < n; i++)
        for (long long j = 0; j + 1 < n; j++)
            if (values[j] > values[j + 1]) swap(values[j], values[j + 1]);
    result = values[0];
    cout << result << "\n";
}

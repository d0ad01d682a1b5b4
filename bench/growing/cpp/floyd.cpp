#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    vector<vector<long long>> distance(n, vector<long long>(n));
    for (long long i = 0; i < n; i++)
        for (long long j = 0; j < n; j++) distance[i][j] = values[i] * values[j] % 1'000'003;
    for (long long k = 0; k < n; k++)
        for (long long i = 0; i < n; i++)
            for (long long j = 0; j < n; j++) distance[i][j] = min(distance[i][j], distance[i][k] + distance[k][j]);
    result = distance[0][n - 1];
    cout << result << "\n";
}

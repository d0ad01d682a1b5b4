#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    vector<int> best(n, 1);
    for (long long i = 0; i < n; i++)
        for (long long j = 0; j < i; j++)
            if (values[j] < values[i] && best[j] >= best[i]) best[i] = best[j] + 1;
    result = *max_element(best.begin(), best.end());
    cout << result << "\n";
}

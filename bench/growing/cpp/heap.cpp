#include <bits/stdc++.h>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    long long n, result = 0;
    cin >> n;
    vector<long long> values(n);
    for (auto& x : values) cin >> x;
    priority_queue<long long> heap;
    for (auto x : values) heap.push(x);
    while (!heap.empty()) {
        result = (result * 31 + heap.top()) % 1'000'007;
        heap.pop();
    }
    cout << result << "\n";
}

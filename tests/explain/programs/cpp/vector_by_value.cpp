#include <bits/stdc++.h>
using namespace std;

__attribute__((noinline)) long long at(vector<long long> a, int i) {  //~? copying
    return a[i];
}

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    vector<long long> a(n);
    for (auto& x : a) cin >> x;
    long long total = 0;
    for (int i = 0; i < n; i++) total += at(a, i);  //~? copying
    cout << total << "\n";
}

#include <bits/stdc++.h>
using namespace std;
#define FOR(i, n) for (int i = 0; i < (n); i++)
typedef long long ll;

int main() {
    int n;
    cin >> n;
    vector<ll> a(n);
    FOR(i, n) cin >> a[i];
    ll sum = 0;
    for (auto x : a) sum += x;
    cout << sum << "\n";
}

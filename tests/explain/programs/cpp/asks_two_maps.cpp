#include <bits/stdc++.h>
using namespace std;
using ll = long long;

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    vector<int> values(n);
    for (int &x : values)
        if (scanf("%d", &x) != 1) return 1;
    map<ll, int> first;
    map<int, ll> counted;
    for (int i = 0; i < n; i++) {
        first.insert({values[i], i});  //~ costly-map
        counted[values[i]]++;  //~ costly-map
    }
    ll total = 0;
    for (int i = 0; i < n; i++)
        if (first.find(values[i])->second == i) total += values[i];  //~ costly-map
    printf("%lld\n", total);
}

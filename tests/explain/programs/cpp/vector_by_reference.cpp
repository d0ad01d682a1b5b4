#include <bits/stdc++.h>
using namespace std;

int least_from(const vector<int>& a, int i) {
    int least = i;
    for (int j = i + 1; j < (int)a.size(); j++)
        if (a[j] < a[least]) least = j;
    return least;
}

int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < n; i++) swap(a[i], a[least_from(a, i)]);
    for (int x : a) cout << x << "\n";
}

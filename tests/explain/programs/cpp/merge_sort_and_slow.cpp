#include <bits/stdc++.h>
using namespace std;

vector<int> a;

long long inversions(int low, int high) {
    if (high - low < 2) return 0;
    const int middle = (low + high) / 2;
    return inversions(low, middle) + inversions(middle, high);
}

int main() {
    int n;
    cin >> n;
    a.resize(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    if (inversions(0, n) > 0) return 1;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (a[j] < a[i]) swap(a[i], a[j]);
    for (int i = 0; i < n; i++) cout << a[i] << "\n";
}

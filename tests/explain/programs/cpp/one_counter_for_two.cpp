#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, i;
    cin >> n;
    vector<unsigned long long> a(n);
    for (i = 0; i < n; i++) cin >> a[i];
    unsigned long long largest = 0;
    for (i = 0; i < n; i++) {
        for (i = 0; i < 3; i++)  //~ may-never-end
            largest = max(largest, a[i]);
    }
    cout << largest << "\n";
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    int n, x;
    long long total = 0;
    cin >> n;
    while (cin >> x) total += x;
    while (total >= n) {
        cout << total << "\n";  //~ too-much-output
    }
}

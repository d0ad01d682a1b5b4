#include <bits/stdc++.h>
using namespace std;

int main() {
    ios_base::sync_with_stdio(false);
    int n, x;
    cin >> n;
    while (n--) {
        cin >> x;  //~? flush-per-line
        cout << 2 * x << '\n';  //~? flush-per-line
    }
}

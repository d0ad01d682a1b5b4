#include <bits/stdc++.h>
#define rep(i, a, b) for (int i = (a); i <= (b); i++)
#define out(x) cout << (x) << endl  //~? flush-per-line
using namespace std;

int main() {
    int n;
    cin >> n;
    rep(i, 1, n) {
        out(i);  //~? flush-per-line
    }
}

#include <bits/stdc++.h>
using namespace std;

[[maybe_unused]] static void unused(int n) {
    for (int i = 0; i < n; i++) cout << i << endl;
}

int main() {
    int n;
    cin >> n;
    cerr << "n is read" << endl;
    ostringstream words;
    for (int i = 0; i < 3; i++) words << "endl" << endl;
    for (int i = 1; i <= n; i++) {
        // cout << i << endl;
        cout << i  //~? flush-per-line
             << endl;  //~ flush-per-line
    }
    cerr << words.str() << endl;
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    {
        ofstream file("/tmp/numbers");
        for (int i = 1; i <= n; i++) file << i << endl;  //~? flush-per-line
    }
    cout << ifstream("/tmp/numbers").rdbuf();
}

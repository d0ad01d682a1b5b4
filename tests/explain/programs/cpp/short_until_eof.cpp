#include <bits/stdc++.h>
using namespace std;

int main() {
    long long total = 0;
    short n, x;
    cin >> n;
    while (!cin.eof()) {  //~ failed-read
        cin >> x;
        total += x;
    }
    cout << total << "\n";
}

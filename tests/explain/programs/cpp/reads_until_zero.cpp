#include <bits/stdc++.h>
using namespace std;

int main() {
    long long n, x = 1, total = 0;
    cin >> n;
    while (x != 0) {  //~ failed-read
        cin >> x;
        total += x;
    }
    cout << total << "\n";
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    long long n, x = 1, largest = 0;
    cin >> n;
    while (x != 0) {  //~ failed-read
        cin >> x;
        largest = max(largest, x);
    }
    cout << largest << "\n";
}

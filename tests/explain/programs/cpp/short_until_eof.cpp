#include <bits/stdc++.h>
using namespace std;

int main() {
    short n, x, largest = 0;
    cin >> n;
    while (!cin.eof()) {  //~ failed-read
        cin >> x;
        largest = max(largest, x);
    }
    cout << largest << "\n";
}

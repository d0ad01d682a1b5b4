#include <iostream>
using namespace std;

// Reads 64 bits, but adds up in 32.
int main() {
    int n;
    cin >> n;
    unsigned sum = 0;
    for (int i = 0; i < n; i++) {
        long long x;
        cin >> x;
        sum += x;
    }
    cout << (int)sum << '\n';
}

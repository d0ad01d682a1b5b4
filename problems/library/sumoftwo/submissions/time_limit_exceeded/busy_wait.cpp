#include <chrono>
#include <iostream>
using namespace std;

// Waits by asking for the time again and again: here it is CPU time that runs out.
int main() {
    long long a, b;
    cin >> a >> b;
    if (a + b == 2000000000000) {
        auto end = chrono::steady_clock::now() + chrono::seconds(60);
        while (chrono::steady_clock::now() < end) {
        }
    }
    cout << a + b << '\n';
}

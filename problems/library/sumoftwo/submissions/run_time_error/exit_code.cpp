#include <iostream>
using namespace std;

// The right answer, but an exit code other than 0 says that something failed.
int main() {
    long long a, b;
    cin >> a >> b;
    cout << a + b << '\n';
    return 1;
}

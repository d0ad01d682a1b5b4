#include <iostream>
using namespace std;

// int has 32 bits: larger input is cut to the largest int.
int main() {
    int a, b;
    cin >> a >> b;
    cout << a + b << '\n';
}

#include <iostream>
using namespace std;

int main() {
    int n;
    cin >> n;
    for (int i = 1; i <= n; i++) {
        volatile unsigned x = i;
        for (int k = 0; k < 40000; k++) x = x * 1103515245u + 12345u;
        cout << i << endl;
    }
}

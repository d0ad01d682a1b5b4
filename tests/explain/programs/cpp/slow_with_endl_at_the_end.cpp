#include <iostream>
using namespace std;

void trace(int n) {
    for (int i = 0; i < n; i++) {
        cout << i << endl;
        cerr << "trace " << i << endl;
    }
}

int main(int argc, char**) {
    int n, count = 0;
    cin >> n;
    if (argc > 1) trace(n);
    for (int i = 2; i <= n; i++) {
        int divisors = 0;
        for (int d = 1; d <= i; d++) divisors += i % d == 0;
        count += divisors == 2;
    }
    cout << count << endl;
}

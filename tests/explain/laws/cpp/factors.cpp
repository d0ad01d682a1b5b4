// input: prime 101 503 1009 5003 20011 100003 500009, 10000019
// law: isqrt(n)-1
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    for (int d = 2; (long long)d * d <= n; d++)
        if (n % d == 0) //@
            sum += d;
    cout << sum << '\n';
}

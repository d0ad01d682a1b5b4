// input: lone 3 4 5 6 8 10 12, 15
// law: n*2**n
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    for (int mask = 0; mask < 1 << n; mask++)
        for (int bit = 0; bit < n; bit++) //@ (n+1)*2**n
            sum += mask >> bit & 1; //@
    cout << sum << '\n';
}

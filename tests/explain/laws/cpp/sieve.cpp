// input: lone 500 1000 2000 4000 8000 16000 32000 64000, 500000
// law: about sum((n-p*p)//p+1 for p in primes(n))
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    vector<char> composite(n + 1);
    for (long long p = 2; p * p <= n; p++)
        if (!composite[p])
            for (long long k = p * p; k <= n; k += p) //@ about sum((n-p*p)//p+2 for p in primes(n))
                composite[k] = 1; //@
    sum = composite[n];
    cout << sum << '\n';
}

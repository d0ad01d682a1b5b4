// input: lone 10 30 100 300 1000 3000 10000, 40000
// law: n*isqrt(n)
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    int root = 0;
    while ((root + 1) * (root + 1) <= n) root++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < root; j++) //@ n*(isqrt(n)+1)
            sum += i ^ j; //@
    cout << sum << '\n';
}

// input: lone 8 10 12 14 16 18 20, 25
// law: about 2*fibonacci(n+1)-1
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int fibonacci(int k) {
    if (k < 2) return k; //@
    return fibonacci(k - 1) + fibonacci(k - 2);
}

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    sum = fibonacci(n);
    cout << sum << '\n';
}

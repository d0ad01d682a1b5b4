// input: lone 100 200 400 800 1600 3200 6400 12800, 100000
// law: about sum(n//i for i in range(1,n+1))
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    for (int i = 1; i <= n; i++)
        for (int k = i; k <= n; k += i) //@ about sum(n//i+1 for i in range(1,n+1))
            sum += k; //@
    cout << sum << '\n';
}

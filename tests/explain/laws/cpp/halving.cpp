// input: values 10 20 50 100 200 400 1000, 20000
// law: n*(n.bit_length()-1)
#include <iostream>
#include <string>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (auto &x : a) cin >> x;
    long long sum = 0;
    for (int i = 0; i < n; i++)
        for (int k = n; k > 1; k /= 2) //@ n*n.bit_length()
            sum += k; //@
    cout << sum << '\n';
}

#include <iostream>
using namespace std;

int main() {
    int n;
    cin >> n;
    for (long long i = 1; i <= n; i++) cout << i * i << endl;
}

#include <iostream>
using namespace std;

int main() {
    int n, sum = 0, value;
    cin >> n;
    for (int i = 0; i < n; i++) {
        cin >> value;
        sum += value;
    }
    cout << sum << '\n';
}

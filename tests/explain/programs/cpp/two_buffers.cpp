#include <cstdio>
#include <iostream>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    for (int i = 1; i <= n; i++) {
        if (i % 2) printf("%d\n", i);  //~? reordered-output
        else cout << i << '\n';  //~? reordered-output
    }
}

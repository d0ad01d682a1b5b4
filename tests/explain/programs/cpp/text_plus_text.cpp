#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    string text;
    for (int i = 1; i <= n; i++) text = text + to_string(i) + "\n";  //~ copying
    cout << text;
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    string text;
    for (int i = n; i > 0; i--) text = to_string(i) + "\n" + text;  //~ copying
    cout << text;
}

#include <bits/stdc++.h>
using namespace std;

int main() {
    int n;
    cin >> n;
    ostringstream out;
    for (int i = 1; i <= n; i++) out << i << endl;
    cout << out.str();
}

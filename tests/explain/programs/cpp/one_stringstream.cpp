#include <bits/stdc++.h>
using namespace std;

int main() {
    stringstream words;
    words << cin.rdbuf();
    long long n, x, total = 0;
    words >> n;
    while (words >> x) total += x;
    cout << total << "\n";
}

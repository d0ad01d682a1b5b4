#include <iostream>
#include <string>
using namespace std;

int main() {
    int n;
    cin >> n;
    string out;
    for (int i = 1; i <= n; i++) {
        out = out + to_string(i) + "\n";
    }
    cout << out;
}

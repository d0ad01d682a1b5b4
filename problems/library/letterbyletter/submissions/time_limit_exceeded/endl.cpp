#include <cctype>
#include <iostream>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n;
    cin >> n;
    char letter;
    while (cin >> letter) cout << (char)toupper(letter) << endl;
}

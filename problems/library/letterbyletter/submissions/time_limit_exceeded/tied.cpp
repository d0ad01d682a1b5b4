#include <cctype>
#include <iostream>
using namespace std;

int main() {
    int n;
    cin >> n;
    char letter;
    while (cin >> letter) cout << (char)toupper(letter) << '\n';
}

#include <cctype>
#include <iostream>
#include <string>
using namespace std;

// toupper returns an int: this prints character codes.
int main() {
    int n;
    string letters;
    cin >> n >> letters;
    for (char letter : letters) cout << toupper(letter) << '\n';
}

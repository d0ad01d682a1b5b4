#include <cctype>
#include <iostream>
#include <string>
using namespace std;

// Stays tied, but reads all letters in one input operation: nothing is flushed in between.
int main() {
    int n;
    string letters;
    cin >> n >> letters;
    for (char letter : letters) cout << (char)toupper(letter) << '\n';
}

#include <cstdlib>
#include <iostream>
using namespace std;

// Asks once and aborts unless that was it.
int main() {
    int n;
    cin >> n;
    cout << "? " << n << endl;
    char reply;
    cin >> reply;
    if (reply != '=') abort();
    cout << "! " << n << endl;
}

#include <iostream>
using namespace std;

// Takes "<" for "x is smaller".
int main() {
    int high, low = 1;
    cin >> high;
    while (low < high) {
        int middle = (low + high) / 2;
        cout << "? " << middle << endl;
        char reply;
        cin >> reply;
        if (reply == '=') low = high = middle;
        else if (reply == '<') low = middle + 1;
        else high = middle - 1;
    }
    cout << "! " << low << endl;
}

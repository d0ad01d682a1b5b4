#include <iostream>
using namespace std;

int main() {
    int high, low = 1;
    cin >> high;
    while (low < high) {
        int middle = (low + high) / 2;
        cout << "? " << middle << endl;
        char reply;
        cin >> reply;
        if (reply == '=') low = high = middle;
        else if (reply == '<') high = middle - 1;
        else low = middle + 1;
    }
    cout << "! " << low << endl;
}

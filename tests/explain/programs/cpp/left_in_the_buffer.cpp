#include <iostream>
#include <unistd.h>
using namespace std;

int main() {
    int n;
    long long sum = 0, value;
    cin >> n;
    while (cin >> value) sum += value;
    cout << sum << '\n';
    _exit(0);  //~ lost-buffer
}

#include <iostream>
using namespace std;

int main() {
    ios::sync_with_stdio(false);
    for (int i = 0; i < 500'000; i++) cout << i << '\n';
}

#include <iostream>
using namespace std;

int main() {
    for (int i = 0; i < 500'000; i++) cout << i << endl;
}

#include <algorithm>
#include <iostream>
#include <numeric>
#include <vector>
using namespace std;

int main() {
    int n;
    cin >> n;
    vector<int> values(n);
    iota(values.begin(), values.end(), 1);
    for_each(values.begin(), values.end(), [](int value) { cout << value << endl; });
}

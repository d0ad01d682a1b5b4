#include <iostream>
#include <vector>
using std::cin;
using std::cout;
using std::endl;

void show(const std::vector<int>& values) {
    for (size_t i = 0; i < values.size(); ++i) cout << values[i] << endl;
}

int main() {
    int n;
    cin >> n;
    std::vector<int> values(n);
    for (int i = 0; i < n; ++i) values[i] = i + 1;
    show(values);
}

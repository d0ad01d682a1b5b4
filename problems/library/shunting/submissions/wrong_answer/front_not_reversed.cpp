#include <iostream>
#include <string>
using namespace std;

int main() {
    int n;
    string wagons, sides, front, back;
    cin >> n >> wagons >> sides;
    for (int i = 0; i < n; i++) (sides[i] == 'F' ? front : back) += wagons[i];
    cout << front << back << '\n';
}

#include <iostream>
#include <string>
using namespace std;

int main() {
    int n;
    string wagons, sides, train;
    cin >> n >> wagons >> sides;
    for (int i = 0; i < n; i++) {
        if (sides[i] == 'F') train = wagons[i] + train;
        else train = train + wagons[i];
    }
    cout << train << '\n';
}

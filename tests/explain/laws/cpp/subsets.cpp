// input: lone 3 4 5 6 8 10 12, 16
// law: 2**(n+1)-1
#include <iostream>
#include <string>
#include <vector>
using namespace std;

long long found = 0;
void choose(int place, int n, int total) { //@
    if (place == n) { //@
        found += total;
        return;
    }
    choose(place + 1, n, total);
    choose(place + 1, n, total + place);
}

int main() {
    int n;
    cin >> n;
    long long sum = 0;
    choose(0, n, 0);
    sum = found;
    cout << sum << '\n';
}

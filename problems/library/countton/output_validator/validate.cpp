// Checks that the output counts from 0 to n - 1, one integer a line.
// Usage: validate INPUT ANSWER FEEDBACK_DIR/ < OUTPUT; exit 42 accepts, 43 rejects.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

static const int ACCEPTED = 42, REJECTED = 43;

static int reject(const std::string& feedback_dir, const std::string& message) {
    std::ofstream(feedback_dir + "judgemessage.txt") << message << '\n';
    return REJECTED;
}

int main(int argc, char** argv) {
    if (argc < 4) {
        std::cerr << "usage: validate INPUT ANSWER FEEDBACK_DIR/ < OUTPUT\n";
        return EXIT_FAILURE;
    }
    const std::string feedback_dir = argv[3];
    long n = 0;
    if (!(std::ifstream(argv[1]) >> n)) {
        std::cerr << "no integer in the input file\n";
        return EXIT_FAILURE;
    }
    std::ios::sync_with_stdio(false);
    std::string line;
    for (long i = 0; i < n; i++) {
        const std::string expected = std::to_string(i);
        if (!std::getline(std::cin, line))
            return reject(feedback_dir, "the output ends where line " + expected + " should be");
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
        if (line != expected)
            return reject(feedback_dir, "expected " + expected + ", found \"" + line.substr(0, 40) + "\"");
    }
    char extra;
    if (std::cin >> extra) return reject(feedback_dir, "there is more output after line " + std::to_string(n - 1));
    return ACCEPTED;
}

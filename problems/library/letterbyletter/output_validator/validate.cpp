// Checks that the output has every letter of the text as a capital, one a line.
// Usage: validate INPUT ANSWER FEEDBACK_DIR/ < OUTPUT; exit 42 accepts, 43 rejects.
#include <cctype>
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
    std::string count, letters;
    if (!(std::ifstream(argv[1]) >> count >> letters)) {
        std::cerr << "the input file has no text\n";
        return EXIT_FAILURE;
    }
    std::ios::sync_with_stdio(false);
    std::string line;
    for (size_t i = 0; i < letters.size(); i++) {
        const std::string expected(1, static_cast<char>(std::toupper(static_cast<unsigned char>(letters[i]))));
        const std::string place = "line " + std::to_string(i + 1) + ": expected " + expected;
        if (!std::getline(std::cin, line)) return reject(argv[3], place + ", found the end of the output");
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
        if (line != expected) return reject(argv[3], place + ", found \"" + line.substr(0, 40) + "\"");
    }
    char extra;
    if (std::cin >> extra) return reject(argv[3], "there is more output after the last letter");
    return ACCEPTED;
}

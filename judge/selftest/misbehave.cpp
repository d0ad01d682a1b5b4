// Does what its input says: one word per limit of the self-test.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <unistd.h>

int main() {
    std::string word;
    std::cin >> word;
    if (word == "right") std::cout << "right\n";
    if (word == "spin") for (volatile long i = 0;; i = i + 1) {}
    if (word == "wait") sleep(60);
    if (word == "grow") for (;;) std::memset(std::malloc(1'000'000), 1, 1'000'000);
    if (word == "shout") for (std::string text(65'536, 'x');;) std::cout << text;
    if (word == "fork") for (int i = 0; i < 100; i++) {
        const pid_t child = fork();
        if (child < 0) return 1;
        if (child == 0) sleep(60), _exit(0);
    }
}

// Prints "one", "two" and "three" in a way, then ends in a way: `lost PRINTING ENDING`.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

static char own[1 << 16];

int main(int, char **arguments) {
    const std::string printing = arguments[1], ending = arguments[2];
    int number = 0;
    if (printing == "stdio") {
        puts("one"), fputs("two\n", stdout), printf("%s\n", "three");
    } else if (printing == "own_buffer") {
        setvbuf(stdout, own, _IOFBF, sizeof own);
        putchar('1'), fwrite("two\n", 1, 4, stdout), puts("three");
    } else if (printing == "cout") {
        std::cout << "one\n" << "two\n", std::cout.write("three\n", 6);
    } else if (printing == "unsynced") {
        std::ios::sync_with_stdio(false);
        std::cin >> number;
        std::cout << "one\n" << "two\n", std::cout.put('3');
    } else if (printing == "mixed") {
        std::ios::sync_with_stdio(false);
        std::cout << "one\n", puts("two"), std::cout << "three\n";
    }
    if (ending == "quits") _exit(3);
    if (ending == "quick") std::quick_exit(4);
    if (ending == "aborts") std::abort();
    if (ending == "crashes") raise(SIGSEGV);
    if (ending == "killed") raise(SIGKILL);
    if (ending == "forks") {
        if (fork() == 0) return 0;
        wait(nullptr);
    }
    return number == 0 || number == 7 ? 0 : 5;
}

// C++ streams: flushed, synchronised with C or not, and ended by an exception nobody catches.
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>

int main(int, char **arguments)
{
    std::string way = arguments[1];
    if (way != "synchronised")
        std::ios::sync_with_stdio(false);
    if (way == "clog")
        std::clog.setf(std::ios::unitbuf);
    for (int i = 0; i < 3000; i++) {
        std::cout << i << std::endl;
        std::cerr << "at " << i << "\n";
        std::clog << "log " << i << "\n";
        if (way == "synchronised")
            std::fprintf(stderr, "fprintf %d\n", i);
    }
    if (way == "synchronised")
        for (int i = 0; i < 3000; i++) {
            std::cout << "cout " << i << '\n';
            std::printf("printf %d\n", i);
        }
    for (int i = 0; i < 30000; i++)
        std::cout << i << '\n';
    std::cerr << "done" << std::endl;
    if (way == "thrown")
        throw std::runtime_error("nobody catches this");
}

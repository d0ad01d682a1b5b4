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
    for (int i = 0; i < 3000; i++)
        std::cout << i << std::endl;
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

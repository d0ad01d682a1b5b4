// As touches.c, in C++: heap, threads, child, memfd.
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

int main(int, char **argument)
{
    const std::string kind = argument[1];
    const std::size_t size = std::stoul(argument[2]) << 20;
    std::ios::sync_with_stdio(false);
    if (kind == "heap")
        std::vector<char> held(size, 'x');
    if (kind == "threads") {
        std::vector<std::vector<char>> pieces(4);
        std::vector<std::thread> threads;
        for (auto &piece : pieces)
            threads.emplace_back([&piece, size] { piece.assign(size / 4, 'x'); });
        for (auto &thread : threads)
            thread.join();
    }
    if (kind == "child") {
        if (fork() == 0) {
            std::vector<char> held(size, 'x');
            _exit(0);
        }
        wait(nullptr);
    }
    if (kind == "memfd") {
        const std::string block(1 << 20, 'x');
        const int file = memfd_create("touched", 0);
        for (std::size_t done = 0; done < size; done += block.size())
            write(file, block.data(), block.size());
    }
}

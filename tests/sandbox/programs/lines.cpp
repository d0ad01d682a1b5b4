// C++ streams: endl, then a buffered stretch (writev), a thread, and a program started as a child.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>

int main()
{
    std::ios::sync_with_stdio(false);
    std::string word;
    int words = 0;
    while (std::cin >> word)
        words++;
    for (int i = 0; i < 400; i++)
        std::cout << i << std::endl;
    for (int i = 0; i < 20000; i++)
        std::cout << i << '\n';
    std::thread([] { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }).join();
    std::cerr << words << " words\n";
    std::cout.flush();
    return std::system("/bin/true");
}

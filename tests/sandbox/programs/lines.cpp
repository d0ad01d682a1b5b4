// C++ streams: endl, then a buffered stretch (writev), a thread and a child.
#include <chrono>
#include <iostream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

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
    if (fork() == 0) {
        for (int i = 0; i < 100; i++)
            std::cout << "child " << i << std::endl;
        return 0;
    }
    wait(nullptr);
}

/* One byte at a time until killed, while a thread sits in a call that only the kill ends. */
#include <pthread.h>
#include <unistd.h>

static void *sleeper(void *unused) {
    pause();
    return unused;
}

int main(void) {
    pthread_t thread;

    pthread_create(&thread, 0, sleeper, 0);
    for (;;) write(1, "x", 1);
}

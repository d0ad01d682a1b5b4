/* Programs started in three ways: posix_spawn, fork and exec, and in our own place. */
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int main(void) {
    char *echo[] = {"echo", "one", NULL}, *nothing[] = {"true", NULL}, *missing[] = {"missing", NULL};
    pid_t child;

    posix_spawn(&child, "/bin/echo", NULL, NULL, echo, environ);
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0) {
        execv("/nowhere", missing);
        execv("/bin/true", nothing);
    }
    waitpid(child, NULL, 0);
    return execv("/bin/echo", echo);
}

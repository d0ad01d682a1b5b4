"""Read what a program said on stderr before it ended. Each language's module knows the words of its runtime."""

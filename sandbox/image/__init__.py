"""The image that run jails show: found, copied into memory, kept there."""

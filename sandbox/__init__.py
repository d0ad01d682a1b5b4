"""Run one program at a time in a jail and measure what it does. Standard library only, no Django."""

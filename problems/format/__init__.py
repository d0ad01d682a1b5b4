"""The files of a package in the Problem Package Format and their values, part by part."""

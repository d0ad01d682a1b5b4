"""Read a package folder of the Problem Package Format, part by part."""

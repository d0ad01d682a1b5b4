"""Compile sources in a jail: the precompiled C++ header, and the cache of compile results."""

"""The package store: immutable versions, on disk and in a bucket or shared folder, and publishing into it."""

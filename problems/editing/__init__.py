"""Problems in a form: typed anew, or changed."""

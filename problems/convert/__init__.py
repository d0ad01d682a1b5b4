"""Problems in other people's formats, turned into packages of the native one (legacy, with `.timelimit`)."""

"""Convert problems in other formats to packages of the native one (legacy, with `.timelimit`)."""

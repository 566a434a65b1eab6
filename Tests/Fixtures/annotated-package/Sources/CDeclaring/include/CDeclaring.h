// Nothing: a target has to have a header.

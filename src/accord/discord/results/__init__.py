"""What Discord sends becomes what a tool promises: a file a resource, one pure function each."""

"""The tables, a file a domain. Importing this fills the metadata."""

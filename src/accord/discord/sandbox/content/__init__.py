"""What a message is made of: the forms that it is checked with and the shapes that it is stored in."""

"""What a guild template holds, and how a guild differs from one: pure, nothing here asks Discord."""

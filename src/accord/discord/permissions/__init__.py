"""What a member may do, computed as Discord documents it, without asking anybody."""

"""What the commands of every product share: exit codes, printing, stopping. No command stands here."""

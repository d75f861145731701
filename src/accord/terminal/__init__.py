"""What commands of every product share: exit codes, arguments, printing, listening, stopping. None stands here."""

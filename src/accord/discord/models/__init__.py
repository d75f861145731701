"""Discord's resources: a file each, with what Discord sends (`…Object`), what it takes and what our tools return."""

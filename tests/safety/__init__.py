"""What SECURITY.md promises, each with what shows it."""

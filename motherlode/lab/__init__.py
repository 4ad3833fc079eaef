"""The laboratory: everything that needs compiled rules."""

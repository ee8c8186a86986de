"""Reports: one module for each format. None of them decides anything, and all show the same facts."""

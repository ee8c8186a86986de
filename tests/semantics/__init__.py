"""Every fact of CPython's import system that decides a finding, with packages that show it."""

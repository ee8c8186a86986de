"""Generated packages, held against CPython.

``python -m tests.fuzz --packages 20000 --seed 1`` runs long; the tests run a share of it.
"""

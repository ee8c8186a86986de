"""How long scans take, and how much memory: ``make bench``, or ``python -m benchmarks``."""

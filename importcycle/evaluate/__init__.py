"""The evaluator: a partial evaluator of import-time Python over abstract values."""

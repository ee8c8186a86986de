"""The abstract values that the evaluator computes with."""

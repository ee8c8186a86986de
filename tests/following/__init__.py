"""Packages of others that a scan looks into."""

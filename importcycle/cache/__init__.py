"""What earlier scans found out, kept in a folder between runs; losing it costs time and nothing else."""

from importcycle.cache.identity import tool_identity
from importcycle.cache.store import CACHE_FOLDER, Cache, digest_of, open_cache, remove_cache
from importcycle.cache.values import UnknownContent, classes_of, pack, unpack

__all__ = [
    "CACHE_FOLDER",
    "Cache",
    "UnknownContent",
    "classes_of",
    "digest_of",
    "open_cache",
    "pack",
    "remove_cache",
    "tool_identity",
    "unpack",
]

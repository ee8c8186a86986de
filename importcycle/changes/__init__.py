"""What a change in a git repository has to do with the findings: which of them it touches."""

from importcycle.changes.git import ChangesError, changes_since
from importcycle.changes.model import Changes, FileChange
from importcycle.changes.touching import only_touched

__all__ = ["Changes", "ChangesError", "FileChange", "changes_since", "only_touched"]

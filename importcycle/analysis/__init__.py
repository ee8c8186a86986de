"""What rules look at: the simulated imports and the cycles of a project, kept between scans."""

from importcycle.analysis.analyse import analyse
from importcycle.analysis.workers import local_workers, processors

__all__ = ["analyse", "local_workers", "processors"]

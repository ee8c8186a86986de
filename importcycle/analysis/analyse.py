"""From a project to the evidence: out of the cache where nothing that matters has changed, else by simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor

from importcycle.analysis.record import Record, RecordKey, load_record, save_record
from importcycle.cache import Cache
from importcycle.findings import Evidence
from importcycle.project.contents import content_digests, layout_digest
from importcycle.project.model import Project

Progress = Callable[[int, int], None]


def analyse(
    project: Project,
    *,
    entries: Sequence[str] | None = None,
    scripts: Sequence[str] = (),
    cache: Cache | None = None,
    executor: Executor | None = None,
    progress: Progress | None = None,
) -> Evidence:
    """Simulate the imports of a project and find its cycles, as far as an earlier analysis does not say.

    Args:
        project: What to analyse.
        entries: The modules to import first; by default all.
        scripts: Modules to be run as ``__main__`` as well.
        cache: Where results are kept for the next time.
        executor: For work that can be done beside the simulation; its processes must see the same files.
        progress: Called with the number of entries done and their total.
    """
    store = cache if cache is not None else Cache()
    key: RecordKey | None = None
    digests: Mapping[str, bytes] = {}
    if store.folder is not None:
        key = RecordKey(layout_digest(project), None if entries is None else tuple(entries), tuple(scripts))
        digests = content_digests(project)
        record = _known(key, digests, project, store)
        if record is not None:
            return Evidence(project, record.simulation, record.cycles)
    from importcycle.analysis.making import make  # with all that it needs: half of the time when nothing has changed

    made = make(project, entries, scripts, store, digests, executor, progress)
    if key is not None and made.is_steady:
        save_record(store, key, made.record, made.edges)
    return Evidence(project, made.record.simulation, made.record.cycles)


def _known(key: RecordKey, digests: Mapping[str, bytes], project: Project, cache: Cache) -> Record | None:
    record = load_record(cache, key)
    if record is None or record.digests == digests:
        return record
    from importcycle.analysis.reuse import reuse

    return reuse(record, key, digests, project, cache)

"""What holds for all tests."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _cache_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scans of a test, in whichever process, keep their results away from fixtures and from other tests."""
    monkeypatch.setenv("IMPORTCYCLE_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))

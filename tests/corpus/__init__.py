"""Released packages as the measure: real crashes, and what CPython does with every module of real packages."""

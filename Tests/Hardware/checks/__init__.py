"""One module for each scenario, of the same name: `check(run)` returns its section of the report, or several."""

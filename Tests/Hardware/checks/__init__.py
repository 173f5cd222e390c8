"""One module for each scenario, of the same name: `check(run)` gives its section of the report, or several."""

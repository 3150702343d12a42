"""Everything that is not input or output. `Client` and `AsyncClient` run these steps."""

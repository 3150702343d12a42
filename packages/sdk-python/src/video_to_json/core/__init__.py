"""All logic except input and output. `Client` and `AsyncClient` run these steps."""

"""The version of this package, which is also in its User-Agent."""

__version__ = "0.1.0"

"""The doors for programs that use another memory interface: thin adapters, one module each (specs/frameworks.md)."""

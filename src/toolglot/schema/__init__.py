"""Knows JSON Schema and the shape of a published tool; knows no provider."""

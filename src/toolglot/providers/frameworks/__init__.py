"""Tools of a target inside agent frameworks: `pydantic_ai`, `langchain` and `openai_agents`, one module each.

A module needs its framework; importing it without says what to install. This package itself needs none.
"""

"""The pytest plugin: the tools of the configured server as tests of an ordinary `pytest` run."""

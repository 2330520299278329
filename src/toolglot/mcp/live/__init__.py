"""Live servers: kept connected, their tools for any target, calls restored and checked."""

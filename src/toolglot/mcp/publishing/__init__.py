"""Tools of a Python server made fit in the server itself: what `toolglot.publish` hooks into an SDK."""

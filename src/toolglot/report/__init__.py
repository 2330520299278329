"""Views of one Report: text and JSON. The only place that escapes what a server published."""

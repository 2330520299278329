"""Making values of schemas; `schema.witness` is the front."""

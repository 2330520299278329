"""Makes a tool fit a target, reversibly. Never names a vendor: what differs between targets is data."""

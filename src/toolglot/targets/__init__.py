"""What each target accepts: facts as data, and `accept`, which compares a scanned tool with them."""

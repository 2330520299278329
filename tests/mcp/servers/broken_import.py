"""A module that cannot be imported: it needs a package that is not there."""

import no_such_package_here  # noqa: F401

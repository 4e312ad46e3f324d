class BaseEnvironment:
    """Only for annotations."""

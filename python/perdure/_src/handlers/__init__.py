"""The built-in handlers of checkpointables."""

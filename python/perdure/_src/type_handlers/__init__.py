"""Handlers of leaves: what they are given, how they are found, and the native ones."""

"""The Python host of recipes: import paths, signatures, objects. The rules are C++ (perdure/recipe)."""

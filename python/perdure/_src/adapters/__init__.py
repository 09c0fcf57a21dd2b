"""Arrays of other frameworks, seen as memory, and made again from memory; containers that only a framework can take apart; classes of
frameworks in perdure.tree.

The engine knows NumPy. For every other leaf it asks here. Which frameworks there are: ``table.py``; what the engine asks of each:
``protocol.py``.
"""

from perdure._src.adapters.table import abstract, adapter_of_class, adapter_of_origin, array_class_of, is_array, meet, nodes_of

__all__ = ["abstract", "adapter_of_class", "adapter_of_origin", "array_class_of", "is_array", "meet", "nodes_of"]

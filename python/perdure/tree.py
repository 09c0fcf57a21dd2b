"""Any training state as one flat dict, and back through a template.

``state_dict({"w": w, "opt": [m]})`` is ``{"w": w, "opt[0]": m}``. Fields and mapping keys (by ``str()``) are joined by ``.``, positions
attach as ``[i]``, and a leaf at the root has the key ``""``. The flat dict may be stored by :func:`perdure.save` or ``torch.save``.
"""

from perdure._src.tree import (
    Serializer,
    from_state_dict,
    lookup_serializer,
    register_serializer,
    register_template_restored,
    resolve_serializer,
    state_dict,
)

__all__ = [
    "Serializer",
    "from_state_dict",
    "lookup_serializer",
    "register_serializer",
    "register_template_restored",
    "resolve_serializer",
    "state_dict",
]

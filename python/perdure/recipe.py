"""Objects described by JSON and rebuilt: which class to call with which arguments, safe to open."""

from perdure._src.recipe.policy import Policy
from perdure._src.recipe.serializers import register_type_serializer
from perdure._src.recipe.spec import BaseSpec, create_model_spec, create_model_spec_from_json

__all__ = ["BaseSpec", "Policy", "create_model_spec", "create_model_spec_from_json", "register_type_serializer"]

"""Objects described by JSON and rebuilt, safe to open; and training strategies, whose checkpoints are recipe and state in one."""

from perdure._src.recipe.hooks import CheckpointableHook, CheckpointHook
from perdure._src.recipe.makers import sequential
from perdure._src.recipe.policy import Policy
from perdure._src.recipe.serializers import register_type_serializer
from perdure._src.recipe.spec import BaseSpec, create_model_spec, create_model_spec_from_json
from perdure._src.recipe.strategy import TrainingStrategy
from perdure._src.recipe.verification import spec_of

__all__ = [
    "BaseSpec",
    "CheckpointHook",
    "CheckpointableHook",
    "Policy",
    "TrainingStrategy",
    "create_model_spec",
    "create_model_spec_from_json",
    "register_type_serializer",
    "sequential",
    "spec_of",
]

"""Text that is almost a recipe: keys that stand twice in disguise, what other JSON readers take, tags that nobody writes."""

import pytest
import recipe_things  # noqa: F401  what is not loaded is settled by build()

from perdure import RecipeError
from perdure.recipe import create_model_spec_from_json

HEAD = '{"cls_path":"recipe_things.Plain","timestamp":"t"'
TWICE = {
    "target in an escape": r',"\u0063ls_path":"os.system"}',
    "timestamp": ',"timestamp":"u"}',
    "key of a dict in an escape": r',"a":{"k":1,"\u006b":2}}',
    "argument of an inner recipe": ',"a":[' + HEAD + ',"a":1,"a":2}]}',
}
NO_JSON = {
    "comma at the end": ",}",
    "two recipes": "}" + HEAD + "}",
    "comment": "/* */}",
    "NaN": ',"a":NaN}',
    "Infinity": ',"a":-Infinity}',
    "single quotes": ",'a':1}",
    "tab in text": ',"a":"\t"}',
    "leading zero": ',"a":01}',
    "plus": ',"a":+1}',
    "no digit after the point": ',"a":1.}',
    "no digit before it": ',"a":.5}',
    "hexadecimal": ',"a":0x1}',
    "number beyond a double": ',"a":[1e400]}',
    "escape that is none": r',"a":"\x41"}',
    "half a word": ',"a":tru}',
    "cut": ',"a":{"k":[1',
}
NO_VALUE = {
    "finite float": '{"__float__":"0x0"}',
    "bits of infinity": '{"__float__":"0x7ff0000000000000"}',
    "capital bits": '{"__float__":"0x7FF8000000000001"}',
    "word of another reader": '{"__float__":"NaN"}',
    "minus zero": '{"__int__":"-0"}',
    "tag in a tag": '{"__tuple__":{"__tuple__":[]}}',
    "recipe in a tag in a tag": '{"__spec__":{"__spec__":{}}}',
    "list of classes": '{"__type__":["os.system"]}',
    "array that says more": '{"__array__":{"dtype":"int8","shape":[1],"data":[1],"origin":"numpy","x":1}}',
    "unknown tag": '{"__reduce__":["os.system",["true"]]}',
}
NO_NAME = {"letter that looks like one": r"\uff41", "zero byte": r"a\u0000", "empty": "", "dunder": "__class__", "two words": "a b"}


def refused(tail):
    with pytest.raises(RecipeError) as error:
        create_model_spec_from_json(HEAD + tail)
    return error.value


@pytest.mark.parametrize("name", TWICE)
def test_key_that_stands_twice(name):
    assert "stands twice" in str(refused(TWICE[name]))


@pytest.mark.parametrize("name", NO_JSON)
def test_what_strict_json_has_not(name):
    refused(NO_JSON[name])


@pytest.mark.parametrize("name", NO_VALUE)
def test_tag_that_nobody_writes(name):
    assert refused(f',"a":[{NO_VALUE[name]}]}}').json_path.startswith("$.a[0].__")


@pytest.mark.parametrize("name", NO_NAME)
def test_name_that_no_argument_has(name):
    assert "can be no argument" in str(refused(f',"{NO_NAME[name]}":1}}'))


NO_HEAD = {
    "mark of byte order": "\ufeff" + HEAD + "}",
    "no target": '{"timestamp":"t"}',
    "tagged target": '{"cls_path":{"__text__":"os.system"},"timestamp":"t"}',
    "tagged timestamp": '{"cls_path":"recipe_things.Plain","timestamp":{"__text__":"t"}}',
}


@pytest.mark.parametrize("name", NO_HEAD)
def test_head_that_is_none(name):
    with pytest.raises(RecipeError):
        create_model_spec_from_json(NO_HEAD[name])


def test_what_only_looks_like_a_tag_or_a_recipe_is_data():
    for text, value in (('{"__tuple__":[1],"__bytes__":""}', {"__tuple__": [1], "__bytes__": ""}),
                        ('{"__dict__":[["cls_path","os.system"],["timestamp","t"]]}', {"cls_path": "os.system", "timestamp": "t"}),
                        ('[[{"cls_path":"os.system","timestamp":"t"}]]', [[{"cls_path": "os.system", "timestamp": "t"}]])):
        assert create_model_spec_from_json(f'{HEAD},"a":{text}}}').build().a == value

"""What the tests themselves keep to."""


def test_names_of_tests_are_the_same_in_every_process(request):
    assert [item.nodeid for item in request.session.items if " at 0x" in item.nodeid] == []

#include "perdure/recipe/expected.h"

#include "perdure/recipe/codecs/table.h"

namespace perdure::recipe {

std::string Expected::str() const {
  const ExpectedForm& form = form_of(*this);
  return (form.text == nullptr ? std::string(form.label) : form.text(*this)) + (accepts_none ? " or None" : "");
}

const Expected& any_value() {
  static const Expected any;
  return any;
}

}  // namespace perdure::recipe

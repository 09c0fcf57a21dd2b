#include "perdure/checkpoint/leaf_handler.h"

#include "perdure/base/error.h"
#include "perdure/base/utf8.h"
#include "perdure/checkpoint/plan/leaf_handler_output.h"
#include "perdure/checkpoint/read/stored_parts.h"
#include "perdure/storage/kvstore/key_text.h"

namespace perdure {

LeafOutput::LeafOutput(std::string name, std::uint32_t leaf_index, checkpoint::HandlerOutput& output)
    : name_(std::move(name)), leaf_index_(leaf_index), output_(output) {}

std::string LeafOutput::part_name(std::string_view suffix) const {
  if (!suffix.empty() && suffix[0] != '.' && suffix[0] != '/') {
    throw Error(ErrorKind::kInvalid, "the suffix '" + std::string(suffix) + "' does not begin with '.' or '/'");
  }
  if (!is_utf8(suffix)) throw Error(ErrorKind::kInvalid, "the suffix " + storage::key_text(suffix) + " is not UTF-8");
  return name_ + std::string(suffix);
}

void LeafOutput::put_array(std::string_view suffix, const Value& array) {
  if (array.is_abstract()) throw Error(ErrorKind::kInputType, "cannot save an array without data");
  output_.arrays.push_back({leaf_index_, part_name(suffix), array.array()});
}

void LeafOutput::put_text(std::string_view suffix, std::string utf8) {
  if (!is_utf8(utf8)) throw Error(ErrorKind::kInvalid, "the text '" + part_name(suffix) + "' is not UTF-8");
  output_.texts.push_back({leaf_index_, part_name(suffix), std::move(utf8)});
}

void LeafOutput::put_file(std::string_view suffix, std::string content) {
  output_.files.push_back({leaf_index_, part_name(suffix), std::move(content)});
}

Value LeafInput::read_array(std::string_view suffix, std::optional<DType> dtype) const {
  LoadedArray array = parts_.read_array(part_name(suffix), dtype);
  return Value::array(std::move(array.view), std::move(array.owner));
}

std::string LeafInput::read_text(std::string_view suffix) const { return parts_.read_text(part_name(suffix)); }
std::string LeafInput::read_file(std::string_view suffix) const { return parts_.read_file(part_name(suffix)); }

}  // namespace perdure

#include <string>

#include "perdure/base/error.h"
#include "perdure/base/json.h"
#include "perdure/base/utf8.h"

namespace perdure::json {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Parses values into slots. Containers that are not closed yet wait on a stack of our own.
class Parser {
 public:
  Parser(std::string_view text, std::size_t depth_max) : text_(text), depth_max_(depth_max) {}

  Value document() {
    if (const std::size_t size = utf8_size(text_); size != text_.size()) fail_at(size, "invalid UTF-8");
    Value root;
    Value* slot = &root;
    while (slot) {
      skip_space();
      slot = opens(slot) ? first_slot() : (*slot = scalar(), next_slot());
    }
    skip_space();
    if (at_ != text_.size()) fail("expected the end of the text");
    return root;
  }

 private:
  [[noreturn]] void fail_at(std::size_t at, std::string_view what) const {
    throw Error(ErrorKind::kCorrupt, "JSON at byte " + std::to_string(at) + ": " + std::string(what));
  }
  [[noreturn]] void fail(std::string_view what) const { fail_at(at_, what); }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void skip_space() {
    while (peek() == ' ' || peek() == '\n' || peek() == '\t' || peek() == '\r') ++at_;
  }

  /// Puts an empty container into `slot` and on the stack if one begins here.
  bool opens(Value* slot) {
    if (peek() != '[' && peek() != '{') return false;
    if (open_.size() == depth_max_) fail("nested more than " + std::to_string(depth_max_) + " deep");
    *slot = peek() == '[' ? Value(Array()) : Value(Object());
    open_.push_back(slot);
    ++at_;
    return true;
  }

  Value* first_slot() {
    skip_space();
    return take(closing()) ? (open_.pop_back(), next_slot()) : add_slot();
  }

  /// Where the value after this one goes; closes what ends here. nullptr at the end of the document.
  Value* next_slot() {
    while (!open_.empty()) {
      skip_space();
      if (take(",")) return skip_space(), add_slot();
      if (!take(closing())) fail("expected ',' or '" + std::string(closing()) + "'");
      open_.pop_back();
    }
    return nullptr;
  }

  std::string_view closing() const { return open_.back()->is_array() ? "]" : "}"; }

  Value* add_slot() {
    if (open_.back()->is_array()) return &open_.back()->as_array().emplace_back();
    std::string key = string();
    skip_space();
    if (!take(":")) fail("expected ':'");
    Object& object = open_.back()->as_object();
    object.add(std::move(key), Value());
    return &object.members().back().second;
  }

  Value scalar() {
    if (peek() == '"') return string();
    if (take("null")) return nullptr;
    if (take("true")) return true;
    if (take("false")) return false;
    return number();
  }

  Value number() {
    const std::size_t begin = at_;
    if (take("NaN")) return Number{"NaN"};
    take("-");
    if (!take("Infinity")) finite_number();
    return Number{std::string(text_.substr(begin, at_ - begin))};
  }

  void finite_number() {
    if (!take("0")) digits("a value");
    if (take(".")) digits("a digit");
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      digits("a digit");
    }
  }

  void digits(std::string_view expected) {
    if (!is_digit(peek())) fail("expected " + std::string(expected));
    while (is_digit(peek())) ++at_;
  }

  std::string string() {
    if (!take("\"")) fail("expected a string");
    std::string out;
    for (;;) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' && static_cast<unsigned char>(text_[at_]) >= 0x20)
        ++at_;
      out.append(text_.substr(begin, at_ - begin));
      if (take("\"")) return out;
      if (!take("\\")) fail(at_ < text_.size() ? "control character in a string" : "unterminated string");
      escape(out);
    }
  }

  void escape(std::string& out) {
    if (take("u")) return append_code_point(out, escaped_code_point());
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t index = at_ < text_.size() ? kNames.find(text_[at_]) : std::string_view::npos;
    if (index == std::string_view::npos) fail("invalid escape");
    out += kMeanings[index];
    ++at_;
  }

  /// After "\u". A high surrogate takes the low one that follows; one without the other stands for itself.
  char32_t escaped_code_point() {
    const char32_t high = hex4();
    if (high < 0xd800 || high > 0xdbff || text_.substr(at_, 2) != "\\u") return high;
    const std::size_t after_high = at_;
    at_ += 2;
    const char32_t low = hex4();
    if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    at_ = after_high;
    return high;
  }

  char32_t hex4() {
    char32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = peek();
      const char lower = static_cast<char>(c | 0x20);
      if (!is_digit(c) && (lower < 'a' || lower > 'f')) fail("expected four hex digits");
      value = value * 16 + static_cast<char32_t>(is_digit(c) ? c - '0' : lower - 'a' + 10);
    }
    return value;
  }

  const std::string_view text_;
  const std::size_t depth_max_;
  std::size_t at_ = 0;
  std::vector<Value*> open_;  // outermost first; only the innermost grows, so the others stay where they are
};

}  // namespace

Value parse(std::string_view text, const ParseOptions& options) { return Parser(text, options.depth_max).document(); }

}  // namespace perdure::json

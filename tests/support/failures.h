#pragma once
// What a call throws, to be compared.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "perdure/base/error.h"

namespace perdure::test {

/// The Error that `body` throws; a test failure if it throws none.
template <class Body>
std::optional<Error> thrown_by(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return std::nullopt;
}

/// Its kind.
template <class Body>
ErrorKind kind_of_failure(Body&& body) {
  const std::optional<Error> error = thrown_by(body);
  return error ? error->kind() : ErrorKind::kCancelled;
}

/// Its message; a test failure if it is of another kind.
template <class Body>
std::string message_of_failure(ErrorKind kind, Body&& body) {
  const std::optional<Error> error = thrown_by(body);
  if (!error) return "";
  EXPECT_EQ(error->kind(), kind) << error->what();
  return error->message();
}

/// Its message and notes; a test failure if it is of another kind.
template <class Body>
std::string story_of_failure(ErrorKind kind, Body&& body) {
  const std::optional<Error> error = thrown_by(body);
  if (!error) return "";
  EXPECT_EQ(error->kind(), kind) << error->what();
  return error->what();
}

/// The message of the Error that `body` throws, with its notes; "" if it throws none.
template <class Body>
std::string error_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return std::string(error_kind_name(error.kind())) + ": " + error.what();
  }
  return "";
}

}  // namespace perdure::test

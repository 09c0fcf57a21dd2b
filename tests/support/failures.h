#pragma once
// What a call throws, to be compared.
#include <gtest/gtest.h>

#include <string>

#include "perdure/base/error.h"

namespace perdure::test {

/// The kind of the Error that `body` throws; a test failure if it throws none.
template <class Body>
ErrorKind kind_of_failure(Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorKind::kCancelled;
}

/// The message of the Error of this kind that `body` throws; a test failure if it throws none, or another kind.
template <class Body>
std::string message_of_failure(ErrorKind kind, Body&& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
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

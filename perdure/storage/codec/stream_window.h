#pragma once
// The stream objects of zlib and bzip2 look alike, and count in 32 bits. Not installed.
#include <algorithm>
#include <cstddef>
#include <limits>

#include "perdure/base/bytes.h"

namespace perdure::storage {

/// Points the stream at the beginnings of input and output; afterwards `take` shortens them by what was used.
template <class Stream>
struct StreamWindow {
  StreamWindow(Stream& s, ByteView input, ByteSpan output)
      : stream(s), in_size(step_size(input.size())), out_size(step_size(output.size())) {
    stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<std::byte*>(input.data()));
    stream.avail_in = in_size;
    stream.next_out = reinterpret_cast<decltype(stream.next_out)>(output.data());
    stream.avail_out = out_size;
  }
  void take(ByteView& input, ByteSpan& output) const {
    input = input.subspan(in_size - stream.avail_in);
    output = output.subspan(out_size - stream.avail_out);
  }
  static unsigned step_size(std::size_t size) {
    return static_cast<unsigned>(std::min<std::size_t>(size, std::numeric_limits<unsigned>::max()));
  }

  Stream& stream;
  unsigned in_size, out_size;
};

}  // namespace perdure::storage

#include "perdure/checkpoint/orbax/handler_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/failures.h"

namespace perdure::checkpoint {
namespace {

using testing::ElementsAre;

TEST(HandlerNames, KnowWhatOrbaxRecordsInBothOfItsPackages) {
  const HandlerNames& json = handler_names("JsonHandler");
  EXPECT_EQ(json.typestr, "orbax.checkpoint.experimental.v1._src.handlers.json_handler.JsonHandler");
  EXPECT_THAT(json.secondary_typestrs,
              ElementsAre("orbax.checkpoint._src.handlers.json_checkpoint_handler.JsonCheckpointHandler",
                          "orbax.checkpoint.v0._src.handlers.json_checkpoint_handler.JsonCheckpointHandler"));
  const HandlerNames& array = handler_names("ArrayHandler");
  EXPECT_EQ(array.typestr, "orbax.checkpoint._src.handlers.array_checkpoint_handler.ArrayCheckpointHandler");
  EXPECT_THAT(array.secondary_typestrs,
              ElementsAre("orbax.checkpoint.v0._src.handlers.array_checkpoint_handler.ArrayCheckpointHandler"));
  EXPECT_EQ(handler_names("TreeHandler").secondary_typestrs.size(), 4u);
}

TEST(HandlerNames, BeginWithTheFileThatIsWritten) {
  EXPECT_EQ(handler_names("TextHandler").files[0], "text.txt");
  EXPECT_EQ(handler_names("BytesHandler").files[0], "data.bin");
  EXPECT_EQ(handler_names("JsonHandler").files[0], "data.json");
  EXPECT_EQ(handler_names("MetricsHandler").files[0], "metrics");
}

TEST(HandlerNames, AreOfBuiltInHandlersOnly) {
  EXPECT_EQ(test::message_of_failure(ErrorKind::kInvalid, [] { handler_names("MyHandler"); }),
            "no built-in handler is named 'MyHandler'");
}

}  // namespace
}  // namespace perdure::checkpoint

#pragma once
// Everything a C++ program needs to save, load and inspect checkpoints.
#include "perdure/base/describe.h"
#include "perdure/base/error.h"
#include "perdure/checkpoint/load.h"
#include "perdure/checkpoint/object.h"
#include "perdure/checkpoint/save.h"
#include "perdure/checkpoint/save_async.h"
#include "perdure/checkpoint/verify.h"
#include "perdure/storage/kvstore.h"
#include "perdure/storage/zarr/array.h"
#include "perdure/tree/state.h"
#include "perdure/tree/structure.h"
#include "perdure/tree/value.h"

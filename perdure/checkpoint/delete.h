#pragma once
// Deleting a checkpoint: it disappears in one step, then its files go.
#include <string>

#include "perdure/base/environment.h"

namespace perdure {

/// Deletes a checkpoint, or a flat one that is a single item. Under the lock of saves: never one that somebody is saving to. What is cut
/// short leaves a temporary directory, which another call or the next save to the path removes. Throws kNotFound when nothing is
/// there, nor the remains of anything; kInvalid for what is no checkpoint, a link, or a part of one; kAlreadyExists while somebody
/// saves to the path; kIo.
void delete_checkpoint(const std::string& path, const Environment& environment = {});

}  // namespace perdure

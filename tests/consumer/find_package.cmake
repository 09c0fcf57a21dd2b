# Run by ctest with BUILD_DIR, PROGRAM_DIR, WORK_DIR, GENERATOR, COMPILER, LAUNCHER.
set(prefix "${WORK_DIR}/prefix")
file(REMOVE_RECURSE "${WORK_DIR}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --component cpp --prefix "${prefix}")
run("${CMAKE_COMMAND}" -S "${PROGRAM_DIR}" -B "${WORK_DIR}/build" -G "${GENERATOR}" -D CMAKE_BUILD_TYPE=Debug
    -D "CMAKE_CXX_COMPILER=${COMPILER}" -D "CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" -D "CMAKE_PREFIX_PATH=${prefix}")
run("${CMAKE_COMMAND}" --build "${WORK_DIR}/build")
run("${WORK_DIR}/build/program" "${WORK_DIR}/checkpoint")

execute_process(COMMAND "${CMAKE_COMMAND}" --build "${WORK_DIR}/build" --target undescribed
                OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE result)
if(result EQUAL 0 OR NOT output MATCHES "describe<T>\\(\\) is missing" OR NOT output MATCHES "Model<trainer::Undescribed>")
  message(FATAL_ERROR "no readable error for a type without a description: ${output}")
endif()

# Each handler gives back what it was given.
file(REMOVE_RECURSE "${DIRECTORY}")
file(MAKE_DIRECTORY "${DIRECTORY}")
execute_process(COMMAND "${HANDLERS}" "${DIRECTORY}" OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
if(NOT printed STREQUAL "words: a b\npair: 2 3\n" OR NOT IS_DIRECTORY "${DIRECTORY}/background/state")
  message(FATAL_ERROR "printed ${printed}")
endif()

if(LADDER_SANITIZE)
  add_compile_options(-fsanitize=${LADDER_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${LADDER_SANITIZE})
endif()

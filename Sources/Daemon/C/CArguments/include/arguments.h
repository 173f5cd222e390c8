// The program's arguments as the C library passes them to `main`.
#pragma once

/// Returns the arguments, the program's name first and NULL last.
char *_Nullable *_Nonnull program_arguments(void);

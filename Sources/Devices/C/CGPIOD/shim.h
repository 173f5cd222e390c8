// Names libgpiod for its compiler and linker flags only. No module includes its header: versions 1 and 2 differ in all
// their declarations, and CGPIOBank hides them.

// libgpiod is named here for its compiler and linker flags alone. Its header stays out of every module: versions 1
// and 2 differ in all they declare, and CGPIOBank is where that ends.

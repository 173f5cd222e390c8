// The system's XML parser, as a module that only PushPort imports.
#include <expat.h>

// Debian 13's expat deprecates both in favour of functions that are missing in Debian 12's.
static inline XML_Size deskbell_xml_line(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
static inline XML_Size deskbell_xml_column(XML_Parser parser) { return XML_GetCurrentColumnNumber(parser); }

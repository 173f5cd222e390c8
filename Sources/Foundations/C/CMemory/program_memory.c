// Starting runs code that is not needed later: certificates are made, files parsed, the database opened. The kernel
// keeps those pages mapped while there is memory, and on a board of 512 MB first takes others from this or another
// process. So they are released; pages that are needed again come from the page cache automatically.

#define _GNU_SOURCE
#include "program_memory.h"

#include <link.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static int give_back(struct dl_phdr_info *object, size_t size, void *unused) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    // Writable memory may differ from the file, and must stay; so must the linker's relocations, which are in segments
    // that are writable at first.
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t address = object->dlpi_addr + segment->p_vaddr, start = address & ~(page - 1);
    madvise((void *)start, address + segment->p_memsz - start, MADV_DONTNEED);
  }
  return 0;
}

void memory_give_back_program(void) { dl_iterate_phdr(give_back, NULL); }

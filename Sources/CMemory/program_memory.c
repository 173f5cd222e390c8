// Starting runs code that running does not: certificates are made, files parsed, the database opened. The kernel keeps
// those pages mapped for as long as there is memory, and on a board of 512 MB takes others from us, or from somebody
// else, first. So they are given back; whatever is needed again comes from the page cache by itself.

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
    // What can be written may differ from the file, and must stay; so must what the linker relocated, which is in segments
    // that can be written at first.
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t address = object->dlpi_addr + segment->p_vaddr, start = address & ~(page - 1);
    madvise((void *)start, address + segment->p_memsz - start, MADV_DONTNEED);
  }
  return 0;
}

void memory_give_back_program(void) { dl_iterate_phdr(give_back, NULL); }

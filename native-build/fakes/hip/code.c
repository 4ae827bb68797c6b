/*
 * What a runtime must know of a code object to load and launch it, read from its ELF file as LLVM's "User Guide for AMDGPU
 * Backend" lays it out (Code Object V3 and later): the processor of its flags, kernels of the metadata note, which is a
 * MessagePack document, and variables of the dynamic symbols. Of a file without the note, the kernels that the script names.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../state.h"
#include "types.h"

enum { MACHINE = 224 /* EM_AMDGPU */, MACH = 0xff /* EF_AMDGPU_MACH */, METADATA = 32 /* NT_AMDGPU_METADATA */ };

/* -------- MessagePack -------- */

struct reader {
  const unsigned char *at, *end;
  int bad;
};

static const unsigned char *take(struct reader *r, uint64_t bytes) {
  if ((uint64_t)(r->end - r->at) < bytes) {
    r->bad = 1;
    r->at = r->end;
    return NULL;
  }
  const unsigned char *taken = r->at;
  r->at += bytes;
  return taken;
}

static uint64_t big_endian(struct reader *r, int bytes) {
  const unsigned char *p = take(r, (uint64_t)bytes);
  uint64_t value = 0;
  for (int i = 0; p && i < bytes; i++) value = value << 8 | p[i];
  return value;
}

enum { INTEGER, TEXT, ARRAY, MAP, OTHER };

struct value {
  int type;
  uint64_t number; /* the integer, or how many follow: bytes, elements, pairs */
  const char *text;
};

static struct value next(struct reader *r) {
  const unsigned char *p = take(r, 1);
  int c = p ? *p : 0xc0;
  struct value v = {OTHER, 0, NULL};
  if (c <= 0x7f) v = (struct value){INTEGER, (uint64_t)c, NULL};
  else if (c <= 0x8f) v = (struct value){MAP, c & 0xf, NULL};
  else if (c <= 0x9f) v = (struct value){ARRAY, c & 0xf, NULL};
  else if (c <= 0xbf) v = (struct value){TEXT, c & 0x1f, NULL};
  else if (c >= 0xcc && c <= 0xcf) v = (struct value){INTEGER, big_endian(r, 1 << (c - 0xcc)), NULL};
  else if (c >= 0xd9 && c <= 0xdb) v = (struct value){TEXT, big_endian(r, 1 << (c - 0xd9)), NULL};
  else if (c == 0xdc || c == 0xdd) v = (struct value){ARRAY, big_endian(r, c == 0xdc ? 2 : 4), NULL};
  else if (c == 0xde || c == 0xdf) v = (struct value){MAP, big_endian(r, c == 0xde ? 2 : 4), NULL};
  else if (c != 0xc0 && c != 0xc2 && c != 0xc3) r->bad = 1; /* numbers below 0 and with a fraction are not in it */
  if (v.type == TEXT) v.text = (const char *)take(r, v.number);
  return v;
}

static void skip(struct reader *r, int depth) {
  struct value v = next(r);
  if (depth > 16) r->bad = 1;
  uint64_t within = v.type == ARRAY ? v.number : v.type == MAP ? 2 * v.number : 0;
  for (uint64_t i = 0; i < within && !r->bad; i++) skip(r, depth + 1);
}

static int is(const struct value *v, const char *text) {
  return v->type == TEXT && v->text && v->number == strlen(text) && !memcmp(v->text, text, v->number);
}

/* -------- the metadata -------- */

static void read_argument(struct reader *r, struct kernel *k) {
  struct value map = next(r);
  uint64_t offset = 0, size = 0;
  int hidden = 0;
  for (uint64_t i = 0; map.type == MAP && i < map.number && !r->bad; i++) {
    struct value key = next(r), v;
    if (is(&key, ".offset")) offset = next(r).number;
    else if (is(&key, ".size")) size = next(r).number;
    else if (is(&key, ".value_kind")) {
      v = next(r);
      hidden = v.type == TEXT && v.text && v.number > 7 && !memcmp(v.text, "hidden_", 7); /* the runtime's own */
    } else skip(r, 0);
  }
  if (hidden) return;
  if (k->count == PARAMETERS || !size || offset > PARAMETER_BYTES || size > PARAMETER_BYTES - offset) {
    r->bad = 1;
    return;
  }
  k->offset[k->count] = (uint32_t)offset;
  k->size[k->count++] = (uint32_t)size;
  if (offset + size > k->bytes) k->bytes = (uint32_t)(offset + size);
}

static int number_of(struct reader *r) {
  struct value v = next(r);
  if (v.type != INTEGER || v.number > 1 << 30) r->bad = 1;
  return r->bad ? 0 : (int)v.number;
}

static void read_kernel(struct reader *r, struct object *module) {
  struct kernel k;
  memset(&k, 0, sizeof k);
  struct value map = next(r);
  for (uint64_t i = 0; map.type == MAP && i < map.number && !r->bad; i++) {
    struct value key = next(r);
    if (is(&key, ".name")) {
      struct value name = next(r);
      if (name.type == TEXT && name.text) snprintf(k.name, sizeof k.name, "%.*s", (int)name.number, name.text);
    } else if (is(&key, ".vgpr_count")) k.regs = number_of(r);
    else if (is(&key, ".group_segment_fixed_size")) k.shared = number_of(r);
    else if (is(&key, ".private_segment_fixed_size")) k.local = number_of(r);
    else if (is(&key, ".max_flat_workgroup_size")) k.threads = number_of(r);
    else if (is(&key, ".args")) {
      struct value arguments = next(r);
      for (uint64_t a = 0; arguments.type == ARRAY && a < arguments.number && !r->bad; a++) read_argument(r, &k);
    } else skip(r, 0);
  }
  fake_tell(&k);
  if (!r->bad && !fake_add_kernel(module, &k)) r->bad = 1;
}

static int read_metadata(struct object *module, const unsigned char *bytes, size_t size) {
  struct reader r = {bytes, bytes + size, 0};
  struct value map = next(&r);
  for (uint64_t i = 0; map.type == MAP && i < map.number && !r.bad; i++) {
    struct value key = next(&r);
    if (!is(&key, "amdhsa.kernels")) {
      skip(&r, 0);
      continue;
    }
    struct value kernels = next(&r);
    for (uint64_t k = 0; kernels.type == ARRAY && k < kernels.number && !r.bad; k++) read_kernel(&r, module);
  }
  return r.bad ? hipErrorInvalidImage : 0;
}

/* -------- the file -------- */

static int read_notes(struct object *module, const unsigned char *bytes, size_t size, int *found) {
  while (size >= sizeof(Elf64_Nhdr)) {
    const Elf64_Nhdr *note = (const Elf64_Nhdr *)bytes;
    size_t name = (note->n_namesz + 3u) & ~3u, text = (note->n_descsz + 3u) & ~3u, all = sizeof *note + name + text;
    if (all > size) return hipErrorInvalidImage;
    if (note->n_type == METADATA && note->n_namesz == 7 && !memcmp(note + 1, "AMDGPU", 7)) {
      *found = 1;
      return read_metadata(module, bytes + sizeof *note + name, note->n_descsz);
    }
    bytes += all;
    size -= all;
  }
  return 0;
}

/* Variables are the objects that are no kernel's descriptor; they begin as the image has them. */
static int read_variables(struct object *module, const unsigned char *image, const Elf64_Shdr *sections, const Elf64_Shdr *table) {
  const char *names = (const char *)image + sections[table->sh_link].sh_offset;
  const Elf64_Sym *symbols = (const Elf64_Sym *)(image + table->sh_offset);
  for (size_t i = 0; i < table->sh_size / sizeof *symbols; i++) {
    const Elf64_Sym *s = &symbols[i];
    const char *name = names + s->st_name;
    size_t length = strlen(name);
    int descriptor = length > 3 && !strcmp(name + length - 3, ".kd");
    if (ELF64_ST_TYPE(s->st_info) != STT_OBJECT || !s->st_size || descriptor || !s->st_shndx) continue;
    struct global *g = calloc(1, sizeof *g);
    if (!g) return hipErrorOutOfMemory;
    g->next = module->globals;
    module->globals = g;
    snprintf(g->name, sizeof g->name, "%s", name);
    g->bytes = s->st_size;
    g->address = fake_allocate(module->device, g->bytes);
    if (!g->address) return hipErrorOutOfMemory;
    const Elf64_Shdr *in = &sections[s->st_shndx];
    void *to = fake_host(g->address, g->bytes);
    if (in->sh_type == SHT_NOBITS) memset(to, 0, g->bytes);
    else memcpy(to, image + in->sh_offset + (s->st_value - in->sh_addr), g->bytes);
  }
  return 0;
}

static int read_elf(struct object *module, const unsigned char *image, const struct device *device, char *log, size_t log_bytes) {
  const Elf64_Ehdr *elf = (const Elf64_Ehdr *)image;
  if (memcmp(image, "\177ELF", 4) || elf->e_machine != MACHINE) return hipErrorInvalidImage;
  if ((elf->e_flags & MACH) != device->machine) {
    snprintf(log, log_bytes, "the code is for machine 0x%x; this device is %s, machine 0x%x", elf->e_flags & MACH,
             device->isa, device->machine);
    return hipErrorNoBinaryForGpu;
  }
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + elf->e_shoff);
  int status = 0, found = 0;
  for (int i = 0; i < elf->e_shnum && !status; i++) {
    if (sections[i].sh_type == SHT_NOTE)
      status = read_notes(module, image + sections[i].sh_offset, sections[i].sh_size, &found);
    if (sections[i].sh_type == SHT_DYNSYM) status = read_variables(module, image, sections, &sections[i]);
  }
  return status || found ? status : fake_add_known(module);
}

/* The entry of a bundle whose target is this device's processor: clang's "Offload Bundler" page has the layout. */
static const unsigned char *unbundled(const unsigned char *image, const struct device *device) {
  static const char magic[] = "__CLANG_OFFLOAD_BUNDLE__";
  if (memcmp(image, magic, sizeof magic - 1)) return image;
  const unsigned char *p = image + sizeof magic - 1;
  size_t processor = strcspn(device->isa, ":");
  uint64_t entries, entry[3];
  memcpy(&entries, p, sizeof entries);
  p += sizeof entries;
  for (uint64_t i = 0; i < entries; i++) {
    memcpy(entry, p, sizeof entry); /* offset, size, length of the identity */
    const char *id = (const char *)p + sizeof entry;
    const char *target = memmem(id, entry[2], device->isa, processor);
    if (target && (target + processor == id + entry[2] || target[processor] == ':')) return image + entry[0];
    p += sizeof entry + entry[2];
  }
  return NULL;
}

int fake_read_image(struct object *module, const void *image, int device, char *log, size_t log_bytes) {
  const struct device *d = &fake.devices[device];
  if (memcmp(image, "\177ELF", 4) && memcmp(image, "__CLANG", 7)) return hipErrorInvalidImage;
  const unsigned char *code = unbundled(image, d);
  return code ? read_elf(module, code, d, log, log_bytes) : hipErrorNoBinaryForGpu;
}

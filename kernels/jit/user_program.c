#include "kernels/jit/user_program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/device_run.h"
#include "kernels/jit/child.h"
#include "kernels/jit/engine_headers.h"
#include "kernels/jit/seal.h"
#include "support/atomic_file.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"

/* The kernel's name in the shared object. */
#define SYMBOL "qn_user_kernel"
/* A program is a page of text. */
#define MOST_BYTES ((uint64_t)1 << 20)
#define SAID_BYTES 16384
#define COPY_ENDING ".h"
/* What env says of a command that it cannot find. */
#define NO_SUCH_COMMAND 127

/* How programs are compiled for one kind of processor. */
struct toolchain {
  enum qn_processor processor;
  const char *command;         /* in PATH, */
  const char *fallback;        /* or here; NULL: nowhere */
  const char *variable;        /* that names another */
  const char *what;            /* it is */
  const char *folder, *engine; /* kernels/FOLDER/LAYOUT/ENGINE */
  const char *language;
  const char *module;         /* of the shared library, that has what engines use; NULL: itself */
  const char *const *options; /* ended by NULL */
};

/* What one compilation needs to know. */
struct job {
  const struct toolchain *toolchain;
  const char *given;           /* the program's path, as the user says it */
  char program[QN_PATH_BYTES]; /* the same, absolute */
  char *text;                  /* [bytes] of the program */
  uint64_t bytes;
  char engines[QN_PATH_BYTES];
  char engine[QN_PATH_BYTES + 128]; /* the header of the layout's engine */
  char include[QN_PATH_BYTES + 16];
  char public_include[QN_PATH_BYTES + 16];
  char abi[64], device_abi[64];
  char compiler[QN_PATH_BYTES];
  char architecture[32];         /* option for the device; "": none */
  char host[QN_PATH_BYTES + 32]; /* whose functions it uses: a shared library; "": this program */
  bool real_weights, wide_weights;
  char object[QN_PATH_BYTES + 64]; /* in the cache */
};

/* ---- The command ----------------------------------------------------------------------------- */

#define MOST_ARGUMENTS 48

/* As the engines of this build are compiled, but for another kind of object. */
static const char *const cpu_options[] = {"-std=c17",
                                          "-O3",
                                          "-DNDEBUG",
                                          "-D_GNU_SOURCE",
                                          "-fopenmp",
                                          "-fno-math-errno",
                                          "-fPIC",
                                          "-shared",
                                          "-Wall",
                                          "-fdiagnostics-color=never",
#ifdef __x86_64__
                                          "-march=x86-64-v2",
#endif
                                          NULL};
static const char *const cuda_options[] = {"-std=c++17",
                                           "-O3",
                                           "-DNDEBUG",
                                           "-D_GNU_SOURCE",
                                           "-D_Static_assert=static_assert", /* C++'s word */
                                           "--expt-relaxed-constexpr",
                                           "-diag-suppress=177,550",
                                           "-shared",
                                           "-Xcompiler=-fPIC",
                                           "-Xcompiler=-fopenmp",
                                           "-Xcompiler=-fno-math-errno",
                                           "-Xcompiler=-fdiagnostics-color=never",
                                           NULL};

static const struct toolchain toolchains[] = {
    {QN_CPU, "cc", NULL, "QUERN_CC", "a C compiler", "cpu", "engine.h", "c", NULL, cpu_options},
    {QN_CUDA, "nvcc", "/usr/local/cuda/bin/nvcc", "QUERN_NVCC", "nvcc, of the CUDA Toolkit", "cuda",
     "engine.cuh", "cu", "libquern-cuda.so.0", cuda_options},
};

/* The program is included before the engine, whose text is the one that is compiled. */
static void make_command(const struct job *job, const char *program, const char *object,
                         const char *argv[MOST_ARGUMENTS]) {
  int count = 0;
  argv[count++] = "env"; /* messages are read: in one language */
  argv[count++] = "LC_ALL=C";
  argv[count++] = job->compiler;
  for (const char *const *option = job->toolchain->options; *option; option++)
    argv[count++] = *option;
  if (*job->architecture)
    argv[count++] = job->architecture;
  argv[count++] = "-DQN_KERNEL=" SYMBOL;
  if (job->real_weights)
    argv[count++] = "-DQN_WEIGHTS_REAL";
  if (job->wide_weights)
    argv[count++] = "-DQN_WEIGHTS_WIDE";
  argv[count++] = job->abi;
  argv[count++] = job->device_abi;
  argv[count++] = job->include;
  argv[count++] = job->public_include;
  argv[count++] = "-o";
  argv[count++] = object;
  argv[count++] = "-include";
  argv[count++] = program;
  argv[count++] = "-x";
  argv[count++] = job->toolchain->language;
  argv[count++] = job->engine;
  if (*job->host) {
    argv[count++] = "-Xlinker";
    argv[count++] = job->host;
  }
  argv[count] = NULL;
}

/* The file of a command that PATH leads to, or the name itself; false: it is not there. */
static bool find_command(const char *name, char path[QN_PATH_BYTES]) {
  const char *folders = getenv("PATH");
  snprintf(path, QN_PATH_BYTES, "%s", name);
  if (strchr(name, '/') || !folders)
    return access(name, X_OK) == 0;
  while (*folders) {
    const int length = (int)strcspn(folders, ":");
    snprintf(path, QN_PATH_BYTES, "%.*s/%s", length, folders, name);
    if (access(path, X_OK) == 0)
      return true;
    folders += length + (folders[length] == ':');
  }
  snprintf(path, QN_PATH_BYTES, "%s", name);
  return false;
}

static void choose_compiler(const struct toolchain *toolchain, char compiler[QN_PATH_BYTES]) {
  char path[QN_PATH_BYTES];
  const char *named = getenv(toolchain->variable);
  const char *command = named && *named ? named : toolchain->command;
  if (command == toolchain->command && toolchain->fallback && !find_command(command, path))
    command = toolchain->fallback;
  snprintf(compiler, QN_PATH_BYTES, "%s", command);
}

static enum qn_status find_engine(enum qn_layout layout, struct job *job, struct qn_error *error) {
  const struct toolchain *toolchain = job->toolchain;
  char folder[64];
  snprintf(folder, sizeof folder, "%s", layout == QN_LAYOUT_GRAPH ? "csr" : qn_layout_name(layout));
  for (char *dash; (dash = strchr(folder, '-'));)
    *dash = '_';
  snprintf(job->engine, sizeof job->engine, "%s/kernels/%s/%s/%s", job->engines, toolchain->folder,
           folder, toolchain->engine);
  if (access(job->engine, R_OK))
    return qn_fail(error, QN_UNSUPPORTED,
                   "a --program has no engine for the layout %s on %s: no %s",
                   qn_layout_name(layout), qn_processor_name(toolchain->processor), job->engine);
  return QN_OK;
}

/* A program exports what it has (-rdynamic); the functions of a shared library are found by those
 * alone that are linked with it. */
static enum qn_status find_host(struct job *job, struct qn_error *error) {
  char file[QN_PATH_BYTES];
  bool is_program;
  enum qn_status status = qn_engine_host(file, &is_program, error);
  if (status || is_program)
    return status;
  const int folder = (int)(strrchr(file, '/') + 1 - file);
  const bool is_ours = strncmp(file + folder, "libquern.so", strlen("libquern.so")) == 0;
  const char *module = is_ours ? job->toolchain->module : NULL; /* another has all in itself */
  if (module)
    snprintf(job->host, sizeof job->host, "%.*s%s", folder, file, module);
  else
    snprintf(job->host, sizeof job->host, "%s", file);
  return QN_OK;
}

static enum qn_status describe_job(const char *path, enum qn_layout layout,
                                   enum qn_weight_type weight_type,
                                   const struct qn_cuda_device *device, struct job *job,
                                   struct qn_error *error) {
  *job = (struct job){.given = path,
                      .toolchain = &toolchains[device ? 1 : 0],
                      .real_weights = weight_type == QN_WEIGHT_F32 || weight_type == QN_WEIGHT_F64,
                      .wide_weights = (!device || layout == QN_LAYOUT_GRAPH) &&
                                      qn_weight_bytes(weight_type) == 8};
  if (!realpath(path, job->program))
    return qn_fail_errno(error, "%s: cannot open", path);
  enum qn_status status = qn_engine_headers_find(job->engines, error);
  if (!status)
    status = find_engine(layout, job, error);
  if (!status)
    status = find_host(job, error);
  if (status)
    return status;
  choose_compiler(job->toolchain, job->compiler);
  if (device)
    snprintf(job->architecture, sizeof job->architecture, "-arch=sm_%d%d", device->compute_major,
             device->compute_minor);
  snprintf(job->include, sizeof job->include, "-I%s", job->engines);
  snprintf(job->public_include, sizeof job->public_include, "-I%s/include", job->engines);
  snprintf(job->abi, sizeof job->abi, "-DQN_HOST_KERNEL_ABI=%zu", QN_KERNEL_ABI);
  snprintf(job->device_abi, sizeof job->device_abi, "-DQN_HOST_DEVICE_ABI=%zu",
           sizeof(struct qn_device_run));
  return QN_OK;
}

/* ---- The cache ------------------------------------------------------------------------------- */

/* Make the folder and those above it that lack, for the user alone. */
static enum qn_status make_folders(char *folder, struct qn_error *error) {
  for (char *slash = folder; slash;) {
    slash = strchr(slash + 1, '/');
    if (slash)
      *slash = '\0';
    if (mkdir(folder, 0700) && errno != EEXIST)
      return qn_fail_errno(error, "%s: cannot make the folder for compiled programs", folder);
    if (slash)
      *slash = '/';
  }
  return QN_OK;
}

/* What lies in the folder is loaded and run: nobody else may put anything there. */
static enum qn_status check_folder(const char *folder, struct qn_error *error) {
  struct stat about;
  if (lstat(folder, &about))
    return qn_fail_errno(error, "%s: cannot look at the folder for compiled programs", folder);
  if (!S_ISDIR(about.st_mode) || about.st_uid != geteuid() || about.st_mode & (S_IWGRP | S_IWOTH))
    return qn_fail(error, QN_SYSTEM,
                   "%s: compiled programs are kept in a folder that is the user's own, and that "
                   "nobody else may write to; this one is not (XDG_CACHE_HOME names another place)",
                   folder);
  return QN_OK;
}

static enum qn_status find_cache(char folder[QN_PATH_BYTES], struct qn_error *error) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int length;
  if (cache && *cache == '/')
    length = snprintf(folder, QN_PATH_BYTES, "%s/quern/programs", cache);
  else if (home && *home == '/')
    length = snprintf(folder, QN_PATH_BYTES, "%s/.cache/quern/programs", home);
  else
    return qn_fail(error, QN_SYSTEM,
                   "there is no place to keep compiled programs: neither XDG_CACHE_HOME nor HOME "
                   "names a folder");
  if (length >= QN_PATH_BYTES)
    return qn_fail(error, QN_SYSTEM, "the path of the cache is too long");
  enum qn_status status = make_folders(folder, error);
  return status ? status : check_folder(folder, error);
}

/* A compiler that was replaced has another size or time. */
static void hash_compiler(const char *compiler, XXH3_state_t *hash) {
  char path[QN_PATH_BYTES];
  struct stat about;
  find_command(compiler, path);
  XXH3_128bits_update(hash, path, strlen(path) + 1);
  if (stat(path, &about))
    return;
  const int64_t state[] = {about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
  XXH3_128bits_update(hash, state, sizeof state);
}

static enum qn_status read_program(struct job *job, struct qn_error *error) {
  enum qn_status status = qn_alloc(&job->text, MOST_BYTES + 1, 1, "text of the program", error);
  FILE *file = status ? NULL : fopen(job->program, "re");
  if (status)
    return status;
  if (!file)
    return qn_fail_errno(error, "%s: cannot open", job->given);
  job->bytes = fread(job->text, 1, MOST_BYTES + 1, file);
  if (ferror(file))
    status = qn_fail_errno(error, "%s: cannot read", job->given);
  else if (job->bytes > MOST_BYTES)
    status = qn_fail(error, QN_INVALID, "%s: a program is a header of 1 MiB at most", job->given);
  fclose(file);
  return status;
}

/* Name the object by everything that it is made from. */
static enum qn_status name_object(struct job *job, struct qn_error *error) {
  char folder[QN_PATH_BYTES];
  const char *argv[MOST_ARGUMENTS];
  XXH3_state_t *hash = XXH3_createState();
  if (!hash)
    return qn_fail_memory(error, "a hash", 1024);
  XXH3_128bits_reset(hash);
  enum qn_status status = find_cache(folder, error);
  if (!status)
    status = qn_engine_headers_hash(job->engines, hash, error);
  if (!status) {
    hash_compiler(job->compiler, hash);
    make_command(job, job->program, "", argv);
    XXH3_128bits_update(hash, job->text, job->bytes);
    for (int i = 0; argv[i]; i++)
      XXH3_128bits_update(hash, argv[i], strlen(argv[i]) + 1);
    const XXH128_hash_t key = XXH3_128bits_digest(hash);
    if (snprintf(job->object, sizeof job->object, "%s/%016" PRIx64 "%016" PRIx64 ".so", folder,
                 (uint64_t)key.high64, (uint64_t)key.low64) >= (int)sizeof job->object)
      status = qn_fail(error, QN_SYSTEM, "the path of the cache is too long");
  }
  XXH3_freeState(hash);
  return status;
}

/* ---- Compile --------------------------------------------------------------------------------- */

/* End the line that `text` begins with, and return what follows. */
static char *cut_line(char *text) {
  char *end = strchr(text, '\n');
  if (!end)
    return text + strlen(text);
  *end = '\0';
  return end + 1;
}

/* The line of source that a compiler shows below a message, "   12 | text", without the number. */
static const char *shown_source(const char *line) {
  const char *bar = strstr(line, " | ");
  line = bar ? bar + 3 : line;
  return line + strspn(line, " \t");
}

/* The place that a message begins with: FILE:ROW:COLUMN, or FILE(ROW) as nvcc says it. */
static bool read_place(const char *after_file, uint64_t *row, uint64_t *column) {
  *column = 0;
  return sscanf(after_file, ":%" SCNu64 ":%" SCNu64, row, column) >= 1 ||
         sscanf(after_file, "(%" SCNu64 ")", row) == 1;
}

/* Say the compiler's first error, with its place if it is in the user's header. */
static enum qn_status refuse(const struct job *job, char *said, struct qn_error *error) {
  const size_t length = strlen(job->program);
  for (char *line = said, *next; *line; line = next) {
    next = cut_line(line);
    const char *message = strstr(line, "error: ");
    if (!message)
      continue;
    char source[256];
    snprintf(source, sizeof source, "%.200s", *next ? (cut_line(next), shown_source(next)) : "");
    message += strlen("error: ");
    if (strstr(source, message)) /* an #error */
      *source = '\0';
    qn_fail(error, QN_INVALID, "%.400s%s%s", message, *source ? ": " : "", source);
    uint64_t row = 0, column = 0;
    if (strncmp(line, job->program, length) != 0 || !read_place(line + length, &row, &column))
      return qn_error_in_file(error, job->given);
    return qn_error_at_line(error, job->given, row, column);
  }
  cut_line(said);
  qn_fail(error, QN_INVALID, "%s does not compile it: %.400s", job->compiler, said);
  return qn_error_in_file(error, job->given);
}

/* A copy of the program beside the objects: what was hashed is what is compiled, and it finds no
 * other headers than the engines', by which the hash would not know it. Messages name the original.
 * `copy` becomes its name, which is nobody else's. */
static enum qn_status write_copy(const struct job *job, char *copy, struct qn_error *error) {
  const int descriptor = mkostemps(copy, (int)strlen(COPY_ENDING), O_CLOEXEC);
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!file) {
    enum qn_status status = qn_fail_errno(error, "%s: cannot write", copy);
    if (descriptor >= 0) {
      close(descriptor);
      unlink(copy);
    }
    return status;
  }
  fputs("#line 1 \"", file);
  for (const char *letter = job->program; *letter; letter++)
    fprintf(file,
            *letter == '"' || *letter == '\\' ? "\\%c"
            : *letter == '\n'                 ? "\\n"
                                              : "%c",
            *letter);
  fputs("\"\n", file);
  fwrite(job->text, 1, job->bytes, file);
  bool failed = ferror(file);
  if (!fclose(file) && !failed)
    return QN_OK;
  enum qn_status status = qn_fail_errno(error, "%s: cannot write", copy);
  unlink(copy);
  return status;
}

static enum qn_status run_compiler(const struct job *job, const char *copy, const char *object,
                                   struct qn_error *error) {
  const char *argv[MOST_ARGUMENTS];
  char *said;
  int exit_code = 0;
  enum qn_status status = qn_alloc(&said, SAID_BYTES, 1, "messages of the compiler", error);
  if (status)
    return status;
  make_command(job, copy, object, argv);
  qn_progress_begin("compiling", "programs", 1);
  status = qn_child_run(argv, said, SAID_BYTES, &exit_code, error);
  qn_progress_end();
  if (exit_code == QN_CHILD_UNKNOWN) /* a compiler that fails leaves nothing */
    exit_code = access(object, R_OK) ? 1 : 0;
  if (status == QN_SYSTEM || exit_code == NO_SUCH_COMMAND)
    status = qn_fail(error, QN_SYSTEM,
                     "a program is compiled by %s, and %s cannot be run; %s names another",
                     job->toolchain->what, job->compiler, job->toolchain->variable);
  else if (!status && exit_code)
    status = refuse(job, said, error);
  qn_free(said);
  return status;
}

/* Under another name first: a run beside this one, in this process or another, sees the whole
 * object or none. Signals leave neither that nor the copy. */
static enum qn_status compile(const struct job *job, struct qn_error *error) {
  char object[sizeof job->object + 32], copy[sizeof job->object + 32];
  char *const names[] = {object, copy};
  sigset_t before;
  snprintf(copy, sizeof copy, "%s.XXXXXX" COPY_ENDING, job->object);
  qn_names_lock(&before);
  enum qn_status status = write_copy(job, copy, error);
  snprintf(object, sizeof object, "%.*s", (int)(strlen(copy) - strlen(COPY_ENDING)), copy);
  if (!status)
    qn_temporaries_list(names);
  qn_names_unlock(&before);
  if (status)
    return status;
  status = run_compiler(job, copy, object, error);
  if (!status)
    status = qn_seal_append(object, error);
  if (!status && rename(object, job->object))
    status = qn_fail_errno(error, "%s: cannot keep the compiled program", job->object);
  unlink(copy);
  if (status)
    unlink(object);
  qn_temporaries_forget(names);
  return status;
}

static enum qn_status load(const struct job *job, struct qn_user_program *program,
                           struct qn_error *error) {
  program->object = dlopen(job->object, RTLD_NOW | RTLD_LOCAL);
  program->kernel = program->object ? dlsym(program->object, SYMBOL) : NULL;
  if (program->kernel)
    return QN_OK;
  const char *why = dlerror();
  return qn_fail(error, QN_SYSTEM, "the compiled program cannot be loaded: %s%s", why ? why : "",
                 *job->host ? "" : "; what links libquern.a exports its functions by -rdynamic");
}

enum qn_status qn_user_program_load(const char *path, enum qn_layout layout,
                                    enum qn_weight_type weight_type,
                                    const struct qn_cuda_device *device,
                                    struct qn_user_program *program, struct qn_error *error) {
  struct job *job;
  *program = (struct qn_user_program){.stays = device != NULL};
  enum qn_status status = qn_alloc(&job, 1, sizeof *job, "paths", error);
  if (status)
    return status;
  const double begin = qn_seconds();
  status = describe_job(path, layout, weight_type, device, job, error);
  if (!status)
    status = read_program(job, error);
  if (!status)
    status = name_object(job, error);
  if (!status && !qn_seal_holds(job->object)) {
    status = compile(job, error);
    program->compile_seconds = qn_seconds() - begin;
  }
  if (!status)
    status = load(job, program, error);
  qn_free(job->text);
  qn_free(job);
  if (status)
    qn_user_program_unload(program);
  return status;
}

void qn_user_program_unload(struct qn_user_program *program) {
  if (program->object && !program->stays)
    dlclose(program->object);
  *program = (struct qn_user_program){0};
}

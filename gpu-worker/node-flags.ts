/**
 * The V8 flags of the gpu-worker's process, here and in the script of package.json. Almost every object of its main
 * thread dies with its request. With V8's defaults (semi-spaces of up to 64 MiB, an old generation that may grow to
 * four times its live size between collections) the process holds 130 MiB more and answers no faster (measured by
 * the soak). The smaller the limit of the old generation, the sooner V8 collects; 16 MiB of it are live, beside queued texts.
 * Each thread gets a global `gc`, for garbage.ts.
 */
export const workerNodeFlags: readonly string[] = [
  "--max-semi-space-size=16",
  "--max-old-space-size=2000",
  "--expose-gc",
];

/**
 * Settings of glibc's allocator; other C libraries do not know these variables. Memory of 4 MiB and more is returned to the
 * system when it is freed: by default glibc keeps what reading the checkpoint's files took, 25 MiB a thread. Memory lies in pages
 * of 2 MiB if the system allows it: a plan reads most weights from memory once, and waits less for it (5 % less CPU time; 12 MiB
 * more a thread).
 */
export const workerVariables: Readonly<Record<string, string>> = {
  MALLOC_MMAP_THRESHOLD_: "4194304",
  GLIBC_TUNABLES: "glibc.malloc.hugetlb=1",
};

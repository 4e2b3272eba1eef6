/**
 * Has the C library of Linux give memory back: it keeps what threads that have ended had, and what lies between what is
 * still in use. Other systems do not read it.
 */
export const allocatorEnvironment: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_MMAP_THRESHOLD_: '65536',
}

const codes: readonly unknown[] = ['EDQUOT', 'EFBIG', 'EIO', 'ENOSPC', 'EROFS']

/** Whether a file could not be written because its disk is full, fails, or takes no writes. */
export const isDiskFailure = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code)

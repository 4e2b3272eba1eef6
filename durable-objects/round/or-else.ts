/** The value to continue with if a promise fails, which is logged. */
export const orElse =
  <T>(otherwise: T, problem: string) =>
  (error: unknown): T => {
    console.error(problem, error)
    return otherwise
  }

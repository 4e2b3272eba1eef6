/** How long a test waits for what comes unless there is a fault, in ms: a busy machine may do nothing for many seconds. */
export const patienceMs = 120_000

/** How often a list is read again: with all of its pages, as many calls a minute as one page alone. */
export const pagesPollMs = (everyMs: number, pages: number): number => everyMs * Math.max(1, pages)

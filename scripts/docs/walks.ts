/** A way through the code: the files that something passes, in order. */
export interface Walk {
  readonly title: string
  readonly files: readonly string[]
}

/** Reads the walks of a page: a heading for each, then a table whose rows begin with a number and a file. */
export const readWalks = (markdown: string): Walk[] =>
  markdown
    .split(/^## /m)
    .slice(1)
    .map((text) => ({
      title: text.slice(0, text.indexOf('\n')),
      files: [...text.matchAll(/^\| \d+ \| `([^`]+)` \|/gm)].map(([, file]) => file!),
    }))

/**
 * Finds the files of a walk that are not connected: each but the first imports a file before it, or is imported by one. A
 * room counts as one file if its `index.ts` is imported.
 */
export function findLostFiles({ files }: Walk, importsOf: (file: string) => readonly string[]): string[] {
  const reaches = (from: string, to: string): boolean =>
    importsOf(from).some(
      (target) => target === to || (target.endsWith('/index.ts') && importsOf(target).includes(to)),
    )
  return files.filter(
    (file, i) => i > 0 && !files.slice(0, i).some((before) => reaches(before, file) || reaches(file, before)),
  )
}

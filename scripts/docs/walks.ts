/** A way through the code: the files that something passes, in order. */
export interface Walk {
  readonly title: string
  readonly files: readonly string[]
}

/** Reads the section "Walks" of a page: a heading for each, then a numbered list of files. */
export function readWalks(markdown: string): Walk[] {
  const section = /^## Walks\n([\s\S]*?)(?=^## )/m.exec(markdown)?.[1] ?? ''
  return section
    .split(/^### /m)
    .slice(1)
    .map((text) => ({
      title: text.slice(0, text.indexOf('\n')),
      files: [...text.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file]) => file!),
    }))
}

/**
 * Finds the files of a walk that lead nowhere: all but the first import a file before them, or are imported by one. A room
 * counts as one file where its `index.ts` is what is imported.
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

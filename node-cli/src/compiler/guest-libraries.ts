import { readFileSync } from 'node:fs'

const read = (file: string): string =>
  readFileSync(new URL(`../../assembly/${file}`, import.meta.url), 'utf8')

/** The sources of the guest libraries, by the dialect they are for; the build puts them in place of this file. */
export const guestLibraries = { hub: read('hub.ts'), hivekit: read('hivekit.ts') }

import { readFileSync } from 'node:fs'

/** The source of the guest library; the build puts it in place of this file. */
export const guestLibrary = readFileSync(new URL('../../assembly/hub.ts', import.meta.url), 'utf8')

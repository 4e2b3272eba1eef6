/** Addresses that others wrote. */

/** Whether a page may link to an address: only an https address names a site. */
export const isSite = (url: string | null | undefined): url is string => {
  try {
    return new URL(url ?? '').protocol === 'https:'
  } catch {
    return false
  }
}

/** The host of an address, for people who decide whether to go there; a name in other letters stays in ASCII. */
export const hostOf = (url: string): string => new URL(url).host

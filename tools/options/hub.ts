import { UsageError } from '../../scripts/command/errors.ts'

export const defaultHub = 'http://localhost:8787'

/** The part of a tool's help about --hub. */
export const hubHelp = `default $HUB_URL, or ${defaultHub}`

/**
 * The hub that --hub names, or else HUB_URL.
 *
 * @returns Its origin, or null when neither names one.
 * @throws {@link UsageError}
 */
export function namedHub(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string | null {
  if (option !== undefined) return originOf('--hub', option)
  return env.HUB_URL ? originOf('HUB_URL', env.HUB_URL) : null
}

/** The hub that a tool calls: the one that is named, or the default one of the local network. @throws {@link UsageError} */
export const readHub = (option: string | undefined, env?: NodeJS.ProcessEnv): string =>
  namedHub(option, env) ?? defaultHub

function originOf(name: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`
  if (!isOrigin)
    throw new UsageError(
      `${name} must be an http or https URL without a path, such as ${defaultHub}, not "${text}".`,
    )
  return url.origin
}

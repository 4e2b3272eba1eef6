import { createRequire } from 'node:module'

/**
 * Miniflare, as the CommonJS that it is: where it is imported, Node first compiles its five megabytes to find that out. No bundler takes it
 * in, so packages have it installed beside them.
 */
export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = createRequire(import.meta.url)(
  'miniflare',
) as typeof import('miniflare')

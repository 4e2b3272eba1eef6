import module, { createRequire } from 'node:module'

/**
 * Miniflare writes its configuration into a buffer to which it adds four kilobytes whenever it is full, and so copies the megabytes of the
 * hub dozens of times, which is half of the work of a start. With this the buffer doubles.
 */
export const growth = {
  own: 'srcBuffer.byteLength + minSize',
  ours: 'srcBuffer.byteLength + Math.max(minSize, srcBuffer.byteLength)',
} as const

/**
 * Miniflare, as the CommonJS that it is: where it is imported, Node first compiles its five megabytes to find that out. No bundler takes it
 * in, so packages have it installed beside them.
 */
export const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = loadMiniflare()

function loadMiniflare(): typeof import('miniflare') {
  // Node before 22.15 has no such hooks, and starts with the buffer as it is.
  const hooks = module.registerHooks?.({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context)
      if (!url.endsWith('/miniflare/dist/src/index.js') || loaded.source == null) return loaded
      return { ...loaded, source: String(loaded.source).replace(growth.own, growth.ours) }
    },
  })
  try {
    return createRequire(import.meta.url)('miniflare')
  } finally {
    hooks?.deregister()
  }
}

import { registerHooks } from 'node:module'

/** Loaded before the hub's objects: their runtime is the simulated one. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'cloudflare:workers'
      ? { url: new URL('./cloudflare-workers.ts', import.meta.url).href, shortCircuit: true }
      : next(specifier, context),
})

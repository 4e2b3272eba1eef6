import { registerHooks } from 'node:module'

const simulated: Readonly<Record<string, string>> = {
  'cloudflare:workers': './cloudflare-workers.ts',
  'native-ed25519.ts': './known-signatures.ts',
}

/** Loaded before the hub's objects: their runtime is the simulated one, and of its signatures the same is asked once. */
registerHooks({
  resolve: (specifier, context, next) => {
    const name = specifier.split('/').at(-1)!
    const file = simulated[name]
    // The simulated one asks the real one.
    return file === undefined || context.parentURL?.endsWith(file.slice(1))
      ? next(specifier, context)
      : { url: new URL(file, import.meta.url).href, shortCircuit: true }
  },
})

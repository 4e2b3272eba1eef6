import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { build, type Plugin } from 'esbuild'

/** Bundles the hub into one module, as a deployment does. */
export async function bundleHub(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['workers/index.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'import'],
    mainFields: ['module', 'main'],
    external: ['cloudflare:*', 'node:*'],
    logLevel: 'silent',
    plugins: [compiledModules],
  })
  return outputFiles[0]?.text ?? ''
}

const photon = './photon.wasm'

/** The runtime compiles wasm itself and takes it as modules beside the bundle, which {@link wasmModules} reads. */
const compiledModules: Plugin = {
  name: 'compiled-modules',
  setup({ onResolve }) {
    onResolve({ filter: /photon_rs_bg\.wasm$/ }, () => ({ path: photon, external: true }))
  },
}

/** What the bundle imports beside itself, as Miniflare takes it. */
export const wasmModules = () => [
  {
    type: 'CompiledWasm' as const,
    path: photon.slice(2),
    contents: readFileSync(createRequire(import.meta.url).resolve('@cf-wasm/photon/photon.wasm')),
  },
]

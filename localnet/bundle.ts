import { build } from 'esbuild'

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
    keepNames: true,
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

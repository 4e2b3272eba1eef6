import path from 'node:path'
import { build } from 'esbuild'
import { keptBuild } from '../../scripts/kept-build.ts'

const root = path.resolve(import.meta.dirname, '../..')
const source = (file: string): string => path.join(root, 'node-cli/src', file)

/** The serving node with its threads as a module, which the package does not have: there it is part of the command. */
const folder = await keptBuild({
  name: 'node-here',
  sources: [
    'node-cli/src',
    'node-cli/package.json',
    'protocol',
    'testing/node/built-node.ts',
    'package-lock.json',
  ],
  buildInto: (outdir) =>
    build({
      outdir,
      outExtension: { '.js': '.mjs' },
      bundle: true,
      format: 'esm',
      platform: 'node',
      // Libraries of the other kind ask for modules of Node in their way.
      banner: {
        js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
      },
      entryPoints: {
        serve: source('serve/index.ts'),
        worker: source('engine/thread/worker.ts'),
        'background-worker': source('serve/background/background-worker.ts'),
      },
    }),
})

export const { readConfig, serve } = (await import(
  path.join(folder, 'serve.mjs')
)) as typeof import('../../node-cli/src/serve/index.ts')

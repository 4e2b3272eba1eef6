/** The build of the packages that carry commands of this repository. */
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'

const root = path.resolve(import.meta.dirname, '../..')

export interface Program {
  /** The folder that it is built into. */
  readonly dist: string
  /** Its first module, from the root of the repository. */
  readonly entry: string
  /** The name of the command. */
  readonly command: string
  /** As in `engines`: the oldest Node that runs it. */
  readonly node: string
  /** Packages that the program calls in a checkout alone. */
  readonly absent?: readonly string[]
  /** Files from the root of the repository, and the text that is there in the package. */
  readonly replaced?: Readonly<Record<string, string>>
}

/** Bundles a program into `lib/` of a package, with a launcher beside it that any Node can read. */
export async function buildProgram({ dist, entry, command, node, absent = [], replaced = {} }: Program) {
  rmSync(dist, { recursive: true, force: true })
  const calls = "export * from '../packages/call.ts'"
  await build({
    entryPoints: [path.join(root, entry)],
    outdir: path.join(dist, 'lib'),
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${node}`,
    minifySyntax: true,
    alias: Object.fromEntries(absent.map((name) => [name, path.join(import.meta.dirname, 'absent.mjs')])),
    plugins: [replacing({ 'scripts/command/call.ts': calls, ...replaced })],
  })
  const [major, minor] = node.split('.')
  const main = path.basename(entry, '.ts')
  const launcher = path.join(dist, `${command}.mjs`)
  writeFileSync(
    launcher,
    `#!/usr/bin/env node
var version = process.versions.node.split('.')
if (+version[0] > ${major} || (+version[0] === ${major} && +version[1] >= ${minor})) import('./lib/${main}.js')
else {
  console.error('Error: ${command} needs Node.js ${node} or newer; this is ' + process.versions.node)
  process.exitCode = 1
}
`,
  )
  chmodSync(launcher, 0o755)
}

const replacing = (replaced: Readonly<Record<string, string>>): Plugin => ({
  name: 'replacing',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path: file }) => {
      const contents = replaced[path.relative(root, file)]
      return contents === undefined ? undefined : { contents, loader: 'ts', resolveDir: path.dirname(file) }
    })
  },
})

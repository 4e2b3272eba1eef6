import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { type BuildFailure, type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { CommandError } from './command/errors.ts'
import { keptBuild } from './kept-build.ts'

/** One module of the hub, as workerd takes it; all of them lie side by side. */
export interface HubModule {
  type: 'ESModule' | 'CompiledWasm'
  path: string
  contents: string | Uint8Array
}

/** The modules of the hub; the first is its entry. */
export type HubBundle = readonly HubModule[]

/**
 * Bundles the hub for workerd on this machine, once for the same sources. It is what a deployment runs, in the names of the
 * source and in one module: Miniflare copies its whole configuration for each module of each Worker.
 *
 * @throws {@link CommandError} that names every place where the source is wrong.
 */
export async function bundleHub(): Promise<HubBundle> {
  const folder = await keptBuild({
    name: 'hub',
    sources,
    buildInto: (unfinished) => bundleInto(unfinished, settings.entryPoints),
  })
  return readModules(folder, entry)
}

/** The modules that a bundler wrote into a folder. @param first - The entry among them. */
export const readModules = (folder: string, first: string): HubBundle =>
  [first, ...readdirSync(folder).filter((name) => name !== first && /\.(js|wasm)$/.test(name))].map(
    (name): HubModule => {
      const file = path.join(folder, name)
      return name.endsWith('.wasm')
        ? { type: 'CompiledWasm', path: name, contents: readFileSync(file) }
        : { type: 'ESModule', path: name, contents: readFileSync(file, 'utf8') }
    },
  )

/** Files and folders that the hub may import, and those that decide how it is bundled. */
const sources = [
  'workers',
  'durable-objects',
  'protocol',
  'contracts/generated',
  'console/src/lib/states.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'scripts/bundle.ts',
]

/**
 * Bundles what begins with some files into a folder.
 *
 * @throws {@link CommandError} that names every place where the source is wrong.
 */
export async function bundleInto(folder: string, entryPoints: string[]): Promise<void> {
  // Small for each start to read, in lines that a stack can name.
  const options = { ...settings, splitting: false, minifyWhitespace: true, lineLimit: 160 }
  await build({ ...options, entryPoints, outdir: folder }).catch((error: BuildFailure) => {
    throw new CommandError(['The hub cannot be bundled:', ...error.errors.map(placeOf)].join('\n  '))
  })
  copyFileSync(photonFile(), path.join(folder, photon))
}

/** Builds what a deployment uploads, see {@link buildHub}, once for the same sources. @returns The folder of its modules. */
export async function builtHub(): Promise<string> {
  const buildInto = async (folder: string) => {
    const built = await buildHub(path.join(folder, modulesFolder))
    writeFileSync(path.join(folder, contentsFile), JSON.stringify(built))
  }
  return path.join(await keptBuild({ name: 'hub-deployed', sources, buildInto }), modulesFolder)
}

const [modulesFolder, contentsFile] = ['modules', 'contents.json'] as const

/** The contents of the modules of {@link builtHub}. */
export async function builtContents(): Promise<Metafile> {
  const folder = await builtHub()
  const text = readFileSync(path.join(folder, '..', contentsFile), 'utf8')
  const { outputs } = JSON.parse(text) as Metafile
  // It names the folder in which the modules were built.
  return JSON.parse(text.replaceAll(path.dirname(Object.keys(outputs)[0]!), path.relative('.', folder)))
}

/** Writes the modules of the hub into a folder, minified, with their source maps; returns what is in them. */
export async function buildHub(folder: string): Promise<Metafile> {
  const output = { outdir: folder, minify: true, sourcemap: true, metafile: true } as const
  const { metafile } = await build({ ...settings, ...output })
  copyFileSync(photonFile(), path.join(folder, photon))
  return metafile
}

const placeOf = ({ location, text }: BuildFailure['errors'][number]): string =>
  location === null ? text : `${location.file}:${location.line}:${location.column + 1}: ${text}`

const entry = 'index.js'
const photon = 'photon.wasm'

const photonFile = (): string => createRequire(import.meta.url).resolve('@cf-wasm/photon/photon.wasm')

/** The runtime compiles wasm itself and takes it as a module beside the others. */
const compiledModules: Plugin = {
  name: 'compiled-modules',
  setup({ onResolve }) {
    onResolve({ filter: /photon_rs_bg\.wasm$/ }, () => ({ path: `./${photon}`, external: true }))
  },
}

/**
 * esbuild makes an entry of whatever a parsed file imports dynamically, also where it drops the code that does so. viem
 * has three such imports. The one for lookups off the chain would keep a third of viem in the code that is loaded at
 * start, that of curves all that a curve can do.
 */
const droppedImports: Plugin = {
  name: 'dropped-imports',
  setup({ onResolve }) {
    onResolve({ filter: /\/ccip\.js$|^isows$|^@noble\/curves\/secp256k1$/ }, ({ kind, path: imported }) =>
      kind === 'dynamic-import' ? { path: imported, external: true } : undefined,
    )
  },
}

/** The hub asks its package for nothing but its version. */
const packageVersion: Plugin = {
  name: 'package-version',
  setup({ onLoad }) {
    onLoad({ filter: /\/package\.json$/ }, ({ path: file }) => {
      const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string }
      return { contents: JSON.stringify({ version }), loader: 'json' }
    })
  },
}

/**
 * Code that is needed at start is in a few modules. Code that only one route needs is in others, which workerd does not
 * even parse before that route is called.
 */
const settings = {
  entryPoints: ['workers/index.ts'],
  bundle: true,
  splitting: true,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  format: 'esm',
  target: 'es2024',
  conditions: ['workerd', 'worker', 'import'],
  mainFields: ['module', 'main'],
  external: ['cloudflare:*', 'node:*', 'workerd:*'],
  logLevel: 'silent',
  plugins: [compiledModules, droppedImports, packageVersion],
} satisfies BuildOptions

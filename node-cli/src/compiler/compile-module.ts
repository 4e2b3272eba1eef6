import {
  ArtifactError,
  type ArtifactManifest,
  artifactRuntime,
  packArtifact,
} from '../../../protocol/hbc/artifact.ts'
import { CliError } from '../cli/errors.ts'
import { readInput } from '../cli/input.ts'
import { withBaselineWasm } from '../compilers.ts'
import { type Asc, loadAsc } from './asc.ts'
import { ascVersion, ensureAsc } from './asc-home.ts'
import { entryGlue } from './entry-glue.ts'
import { findGuestFunctions, type GuestFunctions, namesOf } from './guest-functions.ts'
import {
  decodeSource,
  entryFile,
  libraryOf,
  rootFolder,
  type SourceFiles,
  sourceBytesMax,
  sourceFile,
  sourceFiles,
} from './source-files.ts'

export interface CompileRequest {
  /** Path of the AssemblyScript module. */
  source: string
  name: string
  version?: string
  /** Told each file that is read. */
  onRead?: (file: string) => void
}

export interface CompiledModule {
  bytes: Uint8Array
  manifestAddress: string
  functions: string[]
  wasmBytes: number
}

const wasmFile = 'module.wasm'

/**
 * Compiles a module to an artifact. No path, name or setting of the machine enters the compiler, so the same sources
 * give the same bytes everywhere.
 *
 * @throws {@link CliError} with asc's own messages for a source that does not compile.
 */
export async function compileModule({
  source,
  name,
  version,
  onRead,
}: CompileRequest): Promise<CompiledModule> {
  const text = decodeSource(await readInput(source, sourceBytesMax), source)
  const installed = await ensureAsc()
  const files = sourceFiles(source, text, onRead)
  const { guest, wasm } = await withBaselineWasm(async () => compileSources(await loadAsc(installed), files))
  const manifest: ArtifactManifest = {
    name,
    language: 'assemblyscript',
    compiler: `asc ${ascVersion}`,
    runtime: artifactRuntime,
    functions: namesOf(guest),
    ...(version !== undefined && { version }),
  }
  try {
    const { bytes, manifestAddress } = packArtifact(manifest, wasm)
    return { bytes, manifestAddress, functions: [...manifest.functions], wasmBytes: wasm.length }
  } catch (error) {
    if (!(error instanceof ArtifactError)) throw error
    throw new CliError(
      error.rule,
      `${files.nameOf(sourceFile)} compiles, but nodes would refuse it: ${error.message}${hintOf(error)}`,
    )
  }
}

async function compileSources(
  asc: Asc,
  files: SourceFiles,
): Promise<{ guest: GuestFunctions; wasm: Uint8Array }> {
  try {
    const guest = findGuestFunctions(asc.ast, files)
    return { guest, wasm: await runAsc(asc, files, guest) }
  } catch (error) {
    if (!isTooDeep(error)) throw error
    throw new CliError(
      'compile',
      `${files.nameOf(sourceFile)} does not compile: it nests deeper than the compiler can follow`,
    )
  }
}

/** asc follows nested code by recursion; the report of a crash has the words in it. */
const isTooDeep = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('Maximum call stack size exceeded')

/** Parts of the standard library that need what no node gives show up as imports. */
const hintOf = ({ message }: ArtifactError): string =>
  /import env\.(seed|trace|Date|console|performance)|import (Math|Date|console|performance|process|crypto)\./.test(
    message,
  )
    ? '. Guests have no clock, randomness or console; log from "hub" writes to the log of the node'
    : ''

async function runAsc(asc: Asc, files: SourceFiles, guest: GuestFunctions): Promise<Uint8Array> {
  const entry = entryGlue(guest)
  let wasm: Uint8Array | undefined
  let complaints = ''
  const { error } = await asc.compile(
    [
      ...[entryFile, '--baseDir', rootFolder, '--lib', libraryOf[guest.dialect], '--outFile', wasmFile],
      ...[
        '--runtime',
        'stub',
        '--optimizeLevel',
        '3',
        '--shrinkLevel',
        '0',
        '--enable',
        'simd',
        '--noColors',
      ],
    ],
    {
      readFile: (name, baseDir) => (name === entryFile ? entry : files.read(name, baseDir)),
      writeFile: (name, contents) => {
        if (name === wasmFile && contents instanceof Uint8Array) wasm = new Uint8Array(contents)
      },
      listFiles: () => [],
      stdout: { write: () => {} },
      stderr: {
        write: (chunk) => {
          complaints += chunk
        },
        isTTY: false,
      },
    },
  )
  if (isTooDeep(error)) throw error
  if (error !== null || wasm === undefined)
    throw new CliError('compile', `${files.nameOf(sourceFile)} does not compile`, {
      output: files.explain(complaints.trim() || (error?.message ?? '')),
    })
  return wasm
}

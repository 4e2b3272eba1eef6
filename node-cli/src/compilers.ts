import v8 from 'node:v8'

/** Above this many bytes of artifact and input together, a run gains more from V8's compilers than they cost. */
const smallBytes = 16 * 1024

/** The two that compile in threads of their own. Not every platform has the second. */
const { v8_enable_maglev: hasMaglev } = process.config.variables as { v8_enable_maglev?: unknown }
const compilers = hasMaglev ? ['opt', 'maglev'] : ['opt']

/**
 * Keeps V8 from compiling the functions that a small run calls often: the process ends before that pays, and compiling
 * takes a sixth of its processor time. Output and gas are the same.
 *
 * @param bytes Length of artifact and input.
 * @returns Lets V8 compile again. Call it when the run turns out to be long.
 */
export function withoutCompilers(bytes: number): () => void {
  if (bytes > smallBytes) return () => {}
  for (const name of compilers) v8.setFlagsFromString(`--no-${name}`)
  return () => {
    for (const name of compilers) v8.setFlagsFromString(`--${name}`)
  }
}

const optimizingWasm = ['wasm-tier-up', 'wasm-dynamic-tiering']

/**
 * Keeps V8 from optimizing WebAssembly that is loaded and called during `work`: a compiler that runs once ends before that
 * pays, and half of the processor time of compiling a module goes there. Modules that are loaded later are optimized again.
 */
export async function withBaselineWasm<T>(work: () => Promise<T>): Promise<T> {
  v8.setFlagsFromString('--liftoff-only')
  for (const name of optimizingWasm) v8.setFlagsFromString(`--no-${name}`)
  try {
    return await work()
  } finally {
    v8.setFlagsFromString('--no-liftoff-only')
    for (const name of optimizingWasm) v8.setFlagsFromString(`--${name}`)
  }
}

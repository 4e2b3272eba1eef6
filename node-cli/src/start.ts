/** What the launcher loads: the tool, once what is compiled of it is kept. */
import { keepCompiledCode } from './compile-cache.ts'

keepCompiledCode()
// In the package they lie beside this file; `run` has one of its own, which holds all it needs.
const file = process.argv[2] === 'run' ? './run.mjs' : './main.mjs'
await import(file)

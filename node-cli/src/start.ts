/** What the launcher loads: the tool, once what is compiled of it is kept. */
import { keepCompiledCode } from './compile-cache.ts'

keepCompiledCode()
// In the package they lie beside this file; some commands have one of their own, which holds all they need.
const command = process.argv[2]
const file = command === 'run' || command === 'serve' ? `./${command}.mjs` : './main.mjs'
await import(file)

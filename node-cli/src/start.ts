/** The module that the launcher loads: enables the cache of compiled code, then loads the tool. */
import { keepCompiledCode } from './compile-cache.ts'

keepCompiledCode()
// In the package they lie beside this file; some commands have one of their own, which holds all they need.
const [command = '', ...rest] = process.argv.slice(2)
const isVersion = (command === '--version' || command === '-v') && rest.length === 0
const isAlone = command === 'run' || command === 'serve'
const file = isVersion ? './version.mjs' : isAlone ? `./${command}.mjs` : './main.mjs'
await import(file)

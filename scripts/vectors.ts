/**
 * Runs known-answer files against this implementation; see docs/vectors.md for their format.
 * Exit 0 when every case passes, 1 when one differs, 2 for a file that cannot be read or that tests nothing.
 */
import { runVectors } from './run-vectors.ts'

// npm runs scripts in the root of the project; names of files mean what they mean where the command was given.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD)
const { status, stdout, stderr } = await runVectors(process.argv.slice(2))
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = status

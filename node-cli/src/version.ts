/** Prints the version when it is loaded; in the package it is a file of its own, so that nothing else has to be. */
import packageJson from '../package.json' with { type: 'json' }
import { writeOutput } from './cli/standard-streams.ts'

writeOutput(`${packageJson.version}\n`)

#!/usr/bin/env node
// The compiler of node_modules as a program that forge can run: `--version`, and standard JSON from input to output.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
if (process.argv.includes('--version')) {
  // The compiler is not asked, since it takes a second to load. Forge reads only the version number.
  console.log(
    `solc, the solidity compiler commandline interface\nVersion: ${require('solc/package.json').version}+commit.f401782d.Emscripten.clang`,
  )
} else {
  const solc = require('solc')
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}

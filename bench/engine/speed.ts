/**
 * Measures the engine and writes results.md: `npm run bench -- engine [FILE]`. FILE holds known answers of the kernels
 * that other engines were recorded with; without it that part of the results stays as it is.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { measureCold } from './cold.ts'
import { kernelsOf, ownKernels } from './kernels.ts'
import { measureInThread } from './measure.ts'
import { coldPart, kernelPart, passPart, recordedPart } from './report.ts'

const file = path.join(import.meta.dirname, 'results.md')
const heading = '## Comparison with another engine'
const [recorded] = process.argv.slice(2)

const own = await measureInThread(ownKernels())
const others =
  recorded === undefined
    ? readFileSync(file, 'utf8').split(`${heading}\n`)[1]!
    : `\n${recordedPart((await measureInThread(kernelsOf(recorded))).kernels)}`
const text = [
  `# Speed of the engine`,
  `\`npm run bench -- engine\` wrote this page on Node ${process.versions.node}, V8 ${process.versions.v8}. Every time is a median; the compared runs alternated.`,
  kernelPart(own.kernels),
  passPart(own),
  coldPart(measureCold()),
  `${heading}\n${others}`,
].join('\n\n')
writeFileSync(file, `${text.trimEnd()}\n`)
console.log(text)

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Call, callsOf, type OpenApi } from '../scripts/site/document.ts'
import { clientName, withNames } from '../scripts/site/names.ts'
import { type Samples, samplesOf } from '../scripts/site/samples.ts'

const root = path.resolve(import.meta.dirname, '..')

/** The blocks of a page in one language, for a hub. */
export function pageBlocks(page: string, language: 'js' | 'sh' | 'ts', hub: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8')
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, found]) => found === language)
    .map(([, , code]) => code!.replaceAll('http://localhost:8787', hub))
}

/** The same as one program. */
export const pageProgram = (...page: Parameters<typeof pageBlocks>): string => pageBlocks(...page).join('\n')

/** The output that a program promises: the comments behind its `console.log`. */
export const saidOutput = (program: string): string[] =>
  [...program.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, comment]) => comment!)

/** The samples of every call in the reference, for a hub. */
export function referenceSamples(hub: string): { readonly call: Call; readonly samples: Samples }[] {
  const document = JSON.parse(
    withNames(readFileSync(path.join(root, 'public/openapi.json'), 'utf8')),
  ) as OpenApi
  return callsOf(document).map((call) => {
    const { curl, typescript } = samplesOf(clientName, call)
    const forHub = (program: string) => withNames(program).replaceAll('https://hub.invalid', hub)
    return { call, samples: { curl: forHub(curl), ...(typescript && { typescript: forHub(typescript) }) } }
  })
}

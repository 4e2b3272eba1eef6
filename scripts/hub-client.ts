/**
 * Generates the types of the hub's API from its OpenAPI document: the second part of `npm run openapi`.
 *
 * The generator works with TypeScript 5 only and the project has a newer one, so it lives in a folder of its own, which
 * the first run fills with npm.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { resolveProfile } from '../protocol/identity/index.ts'

const home = 'node_modules/.cache/openapi-typescript'
const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3']
const target = 'sdk/api.generated.ts'

/** Members that say nothing about types; without them the file is a third as long. */
const untyped = new Set(['description', 'summary', 'example', 'examples', 'headers'])

/** The document with the names of the default profile, as far as types need it. */
export function clientDocument(): string {
  const names = resolveProfile() as unknown as Record<string, unknown>
  const document = JSON.parse(
    readFileSync('public/openapi.json', 'utf8').replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) =>
      String(names[name] ?? name),
    ),
  ) as object
  return JSON.stringify(withoutProse(document, false))
}

/** @param named Whether the keys of this object are names of the API's own, which may be called as prose is. */
function withoutProse(value: unknown, named: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutProse(item, false))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => named || !untyped.has(key))
      .map(([key, member]) => [key, withoutProse(member, key === 'properties' && !named)]),
  )
}

/** The first line of the generated file says what it was made from. */
export const clientHeader = (document: string): string =>
  `// Made by \`npm run openapi\` from the OpenAPI document ${createHash('sha256').update(document).digest('hex')}.\n`

/** Calls that take a key are safe to repeat, so the client has to know them when it runs. */
export function keyedOperations(document: string): string[] {
  const { paths } = JSON.parse(document) as {
    paths: Record<string, Record<string, { parameters?: { name?: string }[] }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { parameters }]) => parameters?.some(({ name }) => name === 'Idempotency-Key'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

function install(): void {
  if (existsSync(path.join(home, 'node_modules/openapi-typescript'))) return
  console.log(`Installing ${packages.join(' and ')} into ${home}`)
  mkdirSync(home, { recursive: true })
  const args = ['install', '--prefix', home, '--no-audit', '--no-fund', '--ignore-scripts', ...packages]
  execFileSync('npm', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function generate(document: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'hub-client-'))
  try {
    const [source, output] = [path.join(folder, 'openapi.json'), path.join(folder, 'api.ts')]
    writeFileSync(source, document)
    const bin = path.resolve(home, 'node_modules/openapi-typescript/bin/cli.js')
    const args = [bin, source, '--default-non-nullable', 'false', '-o', output]
    execFileSync('node', args, { stdio: ['ignore', 'ignore', 'inherit'] })
    return readFileSync(output, 'utf8')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const document = clientDocument()
  install()
  mkdirSync(path.dirname(target), { recursive: true })
  const keyed = `\nexport const keyedOperations: readonly string[] = ${JSON.stringify(keyedOperations(document))}\n`
  writeFileSync(target, clientHeader(document) + generate(document) + keyed)
  console.log(`Wrote ${target}`)
}

import { expect, test } from 'vitest'
import { artifactBytesMax, entryBytesMax } from '../../protocol/hbc/zip.ts'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { manifestBytesMax } from '../../protocol/manifest/manifest-limits.ts'
import { inputBytesMax, outputBytesMax } from '../../protocol/wasm/run-limits.ts'
import { listFiles, readText } from '../imports/graph.ts'

test.each(['docs/node-signatures.md', 'docs/verify-a-result.md'])(
  '%s shows signed and hashed texts that are known answers of the vectors',
  (page) => {
    const known = new Set(
      listFiles('.json')
        .filter((file) => file.startsWith('protocol/vectors/'))
        .flatMap((file) => textsIn(JSON.parse(readText(file)))),
    )
    const shown = [...readText(page).matchAll(/^```text\n([\s\S]+?)\n```/gm)].map(([, text]) => text!)
    expect(shown.length).toBeGreaterThan(0)
    expect(shown.filter((text) => !known.has(text))).toEqual([])
  },
)

/** All texts of a file, and its receipts as they are hashed. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  const receipt = 'events_hash' in value ? [JSON.stringify(value, Object.keys(value).sort())] : []
  return [...receipt, ...Object.values(value).flatMap(textsIn)]
}

test('docs/limits.md states the limits in the code', () => {
  const page = readText('docs/limits.md')
  const size = (bytes: number) => (bytes < 1_048_576 ? `${bytes / 1_024} KiB` : `${bytes / 1_048_576} MiB`)
  const rows: [string, string | number][] = [
    ['input of a task', size(inputBytesMax)],
    ['output of a task', size(outputBytesMax)],
    ['artifact of a module (`.hbc`)', size(artifactBytesMax)],
    ['`module.wasm` in it', size(entryBytesMax['module.wasm'])],
    ['manifest of a project, canonical', size(manifestBytesMax)],
    ['frame of the link', size(defaultNetworkParams.relay_max_frame_bytes)],
    ['clock of a signed request, off by at most', defaultNetworkParams.max_skew],
  ]
  for (const [what, most] of rows) expect(page).toContain(`| ${what} | ${most} |`)
})

test('docs/sign-in.md lists every scope of an API key', () => {
  const page = readText('docs/sign-in.md')
  const { components } = JSON.parse(readText('public/openapi.json'))
  const scopes: string[] = components.schemas.ApiKeyInput.properties.scopes.items.enum
  expect(scopes.length).toBeGreaterThan(3)
  for (const scope of scopes) expect(page).toContain(`\`${scope}\``)
})

import type { Call, Parameter } from './document.ts'

/** Programs that make one call, for the hub at `https://hub.invalid`. */
export interface Samples {
  readonly curl: string
  /** Absent for a WebSocket. */
  readonly typescript?: string
}

const origin = 'https://hub.invalid'
const jsonType = 'application/json'

/** Path parameters that are right for the local network and readable for any other. */
const readable: Readonly<Record<string, unknown>> = { project_id: 'sample-echo' }

const relay = '/v1/relay'
/** Opens a WebSocket, and shows for two seconds what the hub says first. */
const upgrade = [
  ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
  ...['Sec-WebSocket-Key: aGVsbG8gaGVsbG8gaGVsbG8=', 'Sec-WebSocket-Protocol: {{prefix}}-relay.v4'],
]
  .map((header) => `-H '${header}'`)
  .concat('--http1.1 --no-buffer --max-time 2')

/** Reads a project by its id; a slug leads to the id. */
const byIdOnly = 'getProject'

/** The credential that a call needs; the first of several. */
export const credentialOf = ({ security }: Call): string | undefined =>
  security.flatMap((one) => Object.keys(one))[0]

const bodyOf = ({ requestBody }: Call) => {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  return { type, example: media?.example }
}

/** The values of a reader, in place of the names of records of others in a sample. */
export interface OwnValues {
  readonly path?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export function samplesOf(client: string, call: Call, own: OwnValues = {}): Samples {
  const values = (place: 'path' | 'query') =>
    Object.fromEntries(
      (call.parameters ?? [])
        .filter(
          (one) => one.in === place && (one.required || (place === 'query' && one.example !== undefined)),
        )
        .map((one) => [
          one.name,
          (place === 'path' ? own.path?.[one.name] : undefined) ?? sampleOf(call.operationId, one),
        ]),
    )
  const { type, example } = bodyOf(call)
  const parts = { path: values('path'), query: values('query'), type, body: own.body ?? example }
  return {
    curl: curl(call, parts),
    ...(call.path !== relay && { typescript: typescript(client, call, parts) }),
  }
}

interface Parts extends Record<'path' | 'query', Record<string, unknown>> {
  readonly type: string | undefined
  readonly body: unknown
}

const sampleOf = (operationId: string, { name, example, schema, in: place }: Parameter): unknown =>
  (place === 'path' && operationId !== byIdOnly ? readable[name] : undefined) ??
  example ??
  schema.enum?.[0] ??
  schema.default ??
  schema.minimum ??
  'echo'

function curl(call: Call, { path, query, type, body: given }: Parts): string {
  const target = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(path[name])),
  )
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
  )
  const url = `${origin}${target}${search.size > 0 ? `?${search}` : ''}`
  const lines = [`curl -s${call.method === 'GET' ? '' : ` -X ${call.method}`} '${url}'`]
  const credential = credentialOf(call)
  if (credential === 'session') lines.push('-H "Authorization: Bearer $TOKEN"')
  if (credential === 'apiKey') lines.push('-H "Authorization: Bearer $API_KEY"')
  if (credential === 'nodeSignature')
    for (const name of ['Node', 'Public-Key', 'Timestamp', 'Nonce', 'Signature'])
      lines.push(`-H "{{header_prefix}}${name}: $${name.replace('-', '_').toUpperCase()}"`)
  if (call.path === relay) lines.push(...upgrade)
  if (type !== undefined) lines.push(`-H 'Content-Type: ${type}'`)
  const body = shortJson(given ?? null)
  // A long body, which the page shows below in full, does not help in a command.
  if (type === jsonType)
    lines.push(body.length > 800 ? '-d @body.json' : `-d '${body.replaceAll("'", `'\\''`)}'`)
  else if (type !== undefined) lines.push('--data-binary @module.hbc')
  const answers = Object.entries(call.responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {}
  if ('application/octet-stream' in answers || 'application/gzip' in answers) lines.push('-o answer.bin')
  return lines.join(' \\\n  ')
}

function typescript(client: string, call: Call, { path, query, type, body }: Parts): string {
  const isJson = type === jsonType
  const given = [
    ...(Object.keys(path).length > 0 ? [`path: ${asCode(path)}`] : []),
    ...(Object.keys(query).length > 0 ? [`query: ${asCode(query)}`] : []),
    ...(type === undefined ? [] : [isJson ? `body: ${asCode(body)}` : "body: await readFile('module.hbc')"]),
  ]
  const inLine = `{ ${given.join(', ')} }`
  const argument =
    given.length === 0
      ? ''
      : inLine.length <= 60 && !inLine.includes('\n')
        ? `, ${inLine}`
        : `, {\n${given.map((one) => `  ${one.replaceAll('\n', '\n  ')},\n`).join('')}}`
  const credential = credentialOf(call)
  const isNode = credential === 'nodeSignature'
  const options = [
    `url: '${origin}'`,
    ...(credential === 'session' ? ["session: process.env.TOKEN ?? ''"] : []),
    ...(credential === 'apiKey' ? ["apiKey: process.env.API_KEY ?? ''"] : []),
    ...(isNode ? [`key: \`0x\${process.env.NODE_KEY}\``] : []),
  ]
  const answers = Object.keys(call.responses).some((status) => /^20[012]$/.test(status))
  return [
    ...(type !== undefined && !isJson ? ["import { readFile } from 'node:fs/promises'"] : []),
    isNode ? `import { hubWithNodeKey } from '${client}/node'\n` : `import { createHub } from '${client}'\n`,
    `const hub = ${isNode ? 'hubWithNodeKey' : 'createHub'}({ ${options.join(', ')} })`,
    `${answers ? 'const answer = ' : ''}await hub.call('${call.method} ${call.path}'${argument})`,
  ].join('\n')
}

/** JSON as a program in TypeScript writes it. */
const asCode = (value: unknown): string => {
  const text = shortJson(value).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
  return text.includes('\n')
    ? text.replaceAll(/"((?:[^"\\]|\\.)*)"/g, quoted)
    : text
        .replaceAll(/"([A-Za-z_]\w*)":/g, '$1: ')
        .replaceAll(/,(?=\S)/g, ', ')
        .replaceAll(/^\{(.*)\}$/g, '{ $1 }')
        .replaceAll(/"((?:[^"\\]|\\.)*)"/g, quoted)
}

const quoted = (whole: string, text: string): string => (/['\\]/.test(text) ? whole : `'${text}'`)

/** On one line where it is short. */
function shortJson(value: unknown): string {
  const line = JSON.stringify(value)
  return line.length <= 60 ? line : JSON.stringify(value, null, 2)
}

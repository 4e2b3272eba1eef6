import { type ErrorCode, errorCodes } from '../../protocol/errors.ts'
import { type Call, callsOf, type OpenApi, type Response } from './document.ts'
import { type Member, membersOf, typeOf } from './members.ts'
import { addressOf, home, type Page, referenceHome } from './page.ts'
import { credentialOf, samplesOf } from './samples.ts'

export const operationAddress = (operationId: string): string => `${home}/operations/${operationId}`

/** The reference: a page that lists every call, and one page for each. @param client the npm name of the client. */
export function referencePages(document: OpenApi, client: string): Page[] {
  const calls = callsOf(document)
  return [
    { address: referenceHome, title: 'All calls', markdown: overview(document, calls) },
    ...calls.map((call) => ({
      address: operationAddress(call.operationId),
      title: call.summary,
      markdown: operationPage(document, client, call),
      tag: call.tags[0],
    })),
  ]
}

function overview({ tags, info }: OpenApi, calls: readonly Call[]): string {
  const [introduction = ''] = info.description.split('\n\n| ')
  const parts = tags.map(({ name, description }) => {
    const rows = calls
      .filter(({ tags: [tag] }) => tag === name)
      .map(
        ({ method, path, summary, operationId }) =>
          `| [${cell(summary)}](${operationAddress(operationId)}) | \`${method} ${path}\` |`,
      )
    return `## ${name}\n\n${description}\n\n| Call | Method and path |\n| --- | --- |\n${rows.join('\n')}`
  })
  return `# All calls\n\n${introduction.replaceAll('\n', '\n\n')} [All limits](${home}/limits).\n\nThe same as an OpenAPI 3.1 document: [\`/v1/openapi.json\`](/v1/openapi.json).\n\n${parts.join('\n\n')}\n`
}

function operationPage(document: OpenApi, client: string, call: Call): string {
  const { curl, typescript } = samplesOf(client, call)
  return [
    `# ${call.summary}`,
    `\`${call.method} ${call.path}\``,
    call.description,
    `**Credential**: ${credentials(call)}. **Operation**: \`${call.operationId}\` of [${call.tags[0]}](${referenceHome}#${call.tags[0].toLowerCase()}).`,
    `## Sample\n\n${fence('sh', curl)}${typescript ? `\n\n${fence('ts', typescript)}` : ''}${inPython(call)}`,
    parameters(document, call),
    body(document, call),
    answers(document, call),
    errors(document, call),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n')
}

/** Calls that a program in `examples/python/` teaches. */
const pythonPrograms: Readonly<Record<string, string>> = {
  submitTask: 'run_task.py',
  getTask: 'run_task.py',
  listRounds: 'list_rounds.py',
  listEvents: 'follow_events.py',
  createWebhook: 'verify_webhook.py',
  getReceipt: 'verify_receipt.py',
}

function inPython({ operationId }: Call): string {
  const program = pythonPrograms[operationId]
  return program === undefined
    ? ''
    : `\n\nIn Python: [${program}](${addressOf(`examples/python/${program}`)}).`
}

const fence = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

const credentialNames: Readonly<Record<string, string>> = {
  session: `[a session](${home}/sign-in)`,
  apiKey: `[an API key](${home}/sign-in#api-keys)`,
  nodeSignature: `[the signature of a node](${home}/node-signatures)`,
}

const credentials = (call: Call): string =>
  credentialOf(call) === undefined
    ? 'none is needed'
    : call.security
        .flatMap((one) => Object.keys(one))
        .map((one) => credentialNames[one])
        .join(', or ')

function parameters(document: OpenApi, { parameters = [] }: Call): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, schema, description = '' }) => {
    const preset = schema.default === undefined ? '' : ` Default: \`${String(schema.default)}\`.`
    return `| \`${name}\` | ${place} | ${cell(typeOf(document, schema))} | ${required ? '**Required.** ' : ''}${cell(description)}${preset} |`
  })
  return `## Parameters\n\n| Name | Place | Type | Meaning |\n| --- | --- | --- | --- |\n${rows.join('\n')}`
}

function body(document: OpenApi, { requestBody }: Call): string {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (type === undefined || media === undefined) return ''
  const members = media.schema === undefined ? [] : membersOf(document, media.schema)
  const first = `## Body\n\n\`${type}\`${requestBody?.required ? '' : ', which may be left out'}. ${requestBody?.description ?? ''}`
  const example = media.example === undefined ? '' : `\n\n${fence('json', pretty(media.example))}`
  return first.trimEnd() + table(members, true) + example
}

const table = (members: readonly Member[], isRequest: boolean): string =>
  members.length === 0
    ? ''
    : `\n\n| Member | Type | Meaning |\n| --- | --- | --- |\n${members
        .map(({ place, type, isRequired, description }) => {
          const note = isRequired === isRequest ? (isRequest ? '**Required.** ' : 'May be absent. ') : ''
          return `| \`${place}\` | ${cell(type)} | ${note}${cell(description)} |`
        })
        .join('\n')}`

const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

function answers(document: OpenApi, { responses }: Call): string {
  let shown: string | undefined
  const parts = Object.entries(responses)
    .filter(([status]) => /^[123]/.test(status))
    .map(([status, response]) => {
      const { description = '', headers = {}, content = {} } = resolveResponse(document, response)
      const own = Object.entries(headers).filter(([, header]) => header.$ref === undefined)
      const types = Object.keys(content).map((type) => `\`${type}\``)
      const media = Object.values(content)[0]
      const example = media?.example ?? Object.values(media?.examples ?? {})[0]?.value
      const schema = media?.schema
      const isShown = schema !== undefined && JSON.stringify(schema) === shown
      if (schema !== undefined) shown = JSON.stringify(schema)
      return [
        `### ${status}`,
        `${description}${types.length > 0 ? ` ${types.join(' or ')}.` : ''}`,
        ...own.map(([name, header]) => `Header \`${name}\`: ${header.description}`),
        ...(isShown ? ['The same members as above.'] : []),
        (schema === undefined || isShown ? '' : table(membersOf(document, schema), false)).trim(),
        example === undefined ? '' : fence('json', pretty(example)),
      ]
        .filter((part) => part !== '')
        .join('\n\n')
    })
  return parts.length === 0 ? '' : `## Answer\n\n${parts.join('\n\n')}`
}

const resolveResponse = ({ components }: OpenApi, response: Response): Response =>
  response.$ref === undefined
    ? response
    : (components.responses[response.$ref.replace('#/components/responses/', '')] as Response)

function errors(document: OpenApi, { responses }: Call): string {
  const rows = Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, response]) => {
      const known = resolveResponse(document, response)
      const examples = Object.values(known.content ?? {}).flatMap(({ example, examples }) => [
        example,
        ...Object.values(examples ?? {}).map(({ value }) => value),
      ])
      const codes = examples.flatMap((one) => (one as { error?: ErrorCode } | undefined)?.error ?? [])
      return codes.map(
        (code) => `| ${status} | [${code}](${home}/errors/${code}) | ${errorCodes[code].title} |`,
      )
    })
  return rows.length === 0
    ? ''
    : `## Errors\n\n| Status | Code | Meaning |\n| --- | --- | --- |\n${rows.join('\n')}`
}

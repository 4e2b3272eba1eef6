/** A task, as programs submit it. */

interface Given {
  /** Of the hub. */
  readonly origin: string
  readonly project: string
  readonly fn: string
  /** As a member of a request, and byte for byte. */
  readonly input: { readonly member: string; readonly bytes: string }
  /** Whether the project takes tasks only with a key, which each of them reads from `HUB_API_KEY`. */
  readonly isKeyed: boolean
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export function snippetsOf({ origin, project, fn, input, isKeyed }: Given) {
  const body = `{"function":${JSON.stringify(fn)},"input":${input.member}}`
  const url = `${origin}/v1/projects/${project}/tasks?wait=30`
  return {
    curl: `curl -s -X POST '${url}' \\\n  -H 'Content-Type: application/json' ${isKeyed ? '-H "Authorization: Bearer $HUB_API_KEY" ' : ''}-d ${quoted(body)}`,
    typescript: `const answer = await fetch('${url}', {\n  method: 'POST',\n  headers: { 'Content-Type': 'application/json'${isKeyed ? `, Authorization: \`Bearer \${process.env.HUB_API_KEY}\`` : ''} },\n  body: JSON.stringify(${body}),\n})\nconst { status, output, receipt_hash } = await answer.json()`,
    // An input may begin with a minus sign.
    shell: `npm run -s task -- ${/^[\w-]+$/.test(fn) ? fn : quoted(fn)} --project ${project} --input=${quoted(input.bytes)} --hub ${origin}`,
  }
}

import type { Environment } from './environment.ts'
import { chainIdOf, hubVars } from './hub-settings.ts'

export interface Finding {
  readonly what: string
  /** What is wrong and what to do; null where nothing is. */
  readonly problem: string | null
}

/** Farther apart than this, signatures with times begin to fail. */
const clockSecsMax = 30

type Fetch = (url: string) => Promise<Response>

/** What a hub that is there says of itself, held against its environment. */
export async function checkHub(
  environment: Environment,
  url: string,
  call: Fetch = fetch,
): Promise<Finding[]> {
  const answers: Record<string, unknown> = {}
  const findings: Finding[] = []
  for (const path of ['/', '/v1/status', '/v1/openapi.json']) {
    const answer = await call(`${url}${path}`).catch((error: Error) => error)
    const problem =
      answer instanceof Error
        ? `does not answer (${answer.message}): check that the domain leads to the Worker`
        : answer.ok
          ? null
          : `answers ${answer.status}: ${(await answer.text()).slice(0, 500)}`
    findings.push({ what: `GET ${path}`, problem })
    if (!(answer instanceof Error) && problem === null) answers[path] = await answer.json()
  }
  return [
    ...findings,
    ...(answers['/'] === undefined ? [] : describedFindings(environment, answers['/'] as Descriptor)),
    ...(answers['/v1/status'] === undefined ? [] : statusFindings(answers['/v1/status'] as Status)),
  ]
}

interface Descriptor {
  network: string
  chain: { id: number } | null
  hosts: { api: string }
}

function describedFindings(environment: Environment, descriptor: Descriptor): Finding[] {
  const { BASE_URL, PROFILE } = hubVars(environment)
  const expected = JSON.parse(PROFILE!) as { network?: string }
  const differs = (what: string, is: unknown, wanted: unknown): Finding => ({
    what,
    problem: is === wanted ? null : `is ${is}, and the environment says ${wanted}: run \`up\` again`,
  })
  return [
    differs('address', descriptor.hosts.api, new URL(BASE_URL!).origin),
    differs('chain id', descriptor.chain?.id, chainIdOf(environment)),
    ...(expected.network === undefined ? [] : [differs('network', descriptor.network, expected.network)]),
  ]
}

interface Status {
  status: string
  database: string
  module_storage: string
  queue: string
  relayer: string
  chain: { halted: unknown } | null
  missing: Record<string, string[]>
  time: number
}

function statusFindings(status: Status): Finding[] {
  const isOk = (what: 'database' | 'module_storage' | 'queue' | 'relayer'): Finding => ({
    what,
    problem: status[what] === 'ok' ? null : `is ${status[what]}: docs/operate-a-hub.md says what to do`,
  })
  const lacking = Object.entries(status.missing).map(([part, names]) => `${part} lacks ${names.join(', ')}`)
  const offSecs = Math.round(status.time - Date.now() / 1000)
  return [
    ...(['database', 'module_storage', 'queue', 'relayer'] as const).map(isOk),
    { what: 'settings', problem: lacking.length === 0 ? null : `are incomplete: ${lacking.join('; ')}` },
    {
      what: 'chain index',
      problem: status.chain?.halted ? `has stopped: ${JSON.stringify(status.chain.halted)}` : null,
    },
    {
      what: 'clock',
      problem:
        Math.abs(offSecs) <= clockSecsMax
          ? null
          : `is ${Math.abs(offSecs)} s ${offSecs < 0 ? 'behind' : 'ahead of'} this machine: set the clock of this machine, or CLOCK of the hub`,
    },
  ]
}

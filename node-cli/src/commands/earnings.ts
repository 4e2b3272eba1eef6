import { isAddress } from '../../../protocol/encoding/index.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { UsageError } from '../cli/errors.ts'
import { nodeAtHubSettings, openNodeAtHub } from '../cli/node-at-hub.ts'
import { printJson } from '../cli/output.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { printTable } from '../cli/table.ts'
import { tokensText } from '../device-work.ts'
import { type Earned, readEarned, readPaid, totalsOf } from '../earnings.ts'
import { projectIdOf, readProject } from '../named-project.ts'

const limits = { default: 20, max: 200 }

/** Options that say whose payouts a command is about. */
export const paidArguments = {
  address: {
    type: 'string',
    valueHint: '0x…',
    description: 'The payout address (default those of the subscriptions of the node)',
  },
  project: {
    type: 'string',
    valueHint: 'PROJECT',
    description: 'Only of this project, by its id or its slug',
  },
} as const

/** @throws {@link UsageError} */
export function readAddress(text: string | undefined): string | null {
  const address = text?.toLowerCase() ?? null
  if (address !== null && !isAddress(address))
    throw new UsageError(`--address must be an address of 0x and 40 hex digits, not ${text}`)
  return address
}

/** The payout addresses to list. @throws {@link CliError} for a node that works for no project. */
export const paidOf = async (at: Parameters<typeof readPaid>[0], address: string | null) =>
  address === null ? readPaid(at) : { addresses: [address], slugs: new Map<string, string>() }

export default defineNodectlCommand({
  args: {
    ...settingArguments(nodeAtHubSettings),
    ...paidArguments,
    limit: {
      type: 'string',
      valueHint: 'N',
      description: `Epochs of each address, newest first (default ${limits.default}, at most ${limits.max})`,
    },
    json: { type: 'boolean', description: 'Print {addresses, items, totals, is_all} as JSON' },
  },
  async run({ args }) {
    const address = readAddress(args.address)
    const project = readProject(args.project)
    const limit = readLimit(args.limit)
    const at = await openNodeAtHub(args)
    const paid = await paidOf(at, address)
    const projectId = await projectIdOf(at.client, project)
    const { items, isAll } = await readEarned(at.client, paid, { projectId, limit })
    const totals = totalsOf(items)
    if (args.json) return printJson({ addresses: paid.addresses, items, totals, is_all: isAll })
    const sums = totals.map((total): [string, string] => {
      const parts = (['pending', 'claimable', 'claimed'] as const).map(
        (part) => `${part} ${tokensText(total[part], total)}`,
      )
      return [isAll ? 'all' : 'listed', parts.join(', ')]
    })
    const empty: [string, string][] = items.length === 0 ? [['earned', 'nothing yet']] : []
    printTable([...paid.addresses.map(paidTo), ...items.map(rowOf), ...empty, ...sums])
  },
  environment: settingEnvironment(nodeAtHubSettings),
  examples: [
    [
      'earnings --data-dir ./node --hub-url https://hub.example',
      'The earnings of its payout address, by epoch',
    ],
    [
      'earnings --data-dir ./node --hub-url https://hub.example --project hello --json',
      'The same of one project, for a script',
    ],
  ],
})

/** @throws {@link UsageError} */
function readLimit(text: string | undefined): number {
  if (text === undefined) return limits.default
  const limit = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : Number.NaN
  if (!(limit <= limits.max)) throw new UsageError(`--limit must be from 1 to ${limits.max}, not ${text}`)
  return limit
}

const paidTo = (address: string): [string, string] => ['paid to', address]

const rowOf = ({ slug, project_id, epoch, units, amount, token, status }: Earned): [string, string] => [
  `${slug ?? `${project_id.slice(0, 10)}…`} ${epoch}`,
  `${tokensText(amount, token)} for ${units} ${units === 1 ? 'unit' : 'units'}, ${status}`,
]

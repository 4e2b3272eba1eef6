import { type OwnerKey, readOwnerKey } from '../binding/owner-key.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { CliError, UsageError } from '../cli/errors.ts'
import { type NodeAtHub, nodeAtHubSettings, openNodeAtHub } from '../cli/node-at-hub.ts'
import { printJson, tell, tellLines } from '../cli/output.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { printTable } from '../cli/table.ts'
import { timeText, tokensText } from '../device-work.ts'
import { type Claimable, type Earned, readClaimable, readPending } from '../earnings.ts'
import { projectIdOf, readProject } from '../named-project.ts'
import { type Claimed, claimAll, withSession } from '../wallet-session.ts'
import { paidArguments, paidOf, readAddress } from './earnings.ts'

export default defineNodectlCommand({
  args: {
    ...settingArguments(nodeAtHubSettings),
    ...paidArguments,
    'wallet-key-file': {
      type: 'string',
      valueHint: 'FILE',
      description:
        'Claim with the key of the payout address in this file: 64 hex digits, readable only by you',
    },
    yes: { type: 'boolean', description: 'Sign without asking' },
    json: { type: 'boolean', description: 'Print {claimable, pending, withdrawals, more} as JSON' },
  },
  async run({ args }) {
    const project = readProject(args.project)
    const file = args['wallet-key-file']
    const wallet = file === undefined ? null : readOwnerKey(file)
    const address = readAddress(args.address)
    if (wallet !== null && address !== null && address !== wallet.address)
      throw new UsageError(`--address is ${address}, and the key in ${file} is that of ${wallet.address}`)
    const at = await openNodeAtHub(args)
    const paid = await paidOf(at, address ?? wallet?.address ?? null)
    const projectId = await projectIdOf(at.client, project)
    const { claimable, more: isCut } = await readClaimable(at.client, paid.addresses, projectId)
    const pending =
      args.json || claimable.length === 0 ? await readPending(at.client, paid, projectId) : ([] as const)
    if (!args.json)
      printTable([
        ...claimableRows(claimable, paid.addresses),
        ...pending.map((earned) => pendingRow(earned, at.clock.now())),
      ])
    const claimed =
      wallet === null || claimable.length === 0
        ? null
        : await claim(at, wallet, projectId, args.yes ? async () => true : ask)
    const withdrawals = claimed?.withdrawals ?? null
    const more = claimed?.more ?? isCut
    if (args.json) printJson({ claimable, pending, withdrawals, more })
    else if (withdrawals !== null) printTable(withdrawals.map(withdrawalRow))
    else if (claimable.length > 0)
      tell(
        'Claim them with --wallet-key-file FILE, the key of the payout address, or on the website of the network.',
      )
    if (more && !args.json)
      tell(
        claimed === null
          ? 'More payouts can be claimed than are listed.'
          : 'More payouts can be claimed: run the command again.',
      )
  },
  environment: settingEnvironment(nodeAtHubSettings),
  examples: [
    ['claim --data-dir ./node --hub-url https://hub.example', 'Show what can be claimed; nothing is signed'],
    [
      'claim --data-dir ./node --hub-url https://hub.example --wallet-key-file wallet.key',
      'Claim it: shows the text to sign, and asks before it signs',
    ],
  ],
})

const claim = (
  at: NodeAtHub,
  wallet: OwnerKey,
  projectId: string | null,
  confirm: (message: string) => Promise<boolean>,
): ReturnType<typeof claimAll> =>
  withSession(at, wallet, confirm, (credential) => claimAll(at, credential, projectId))

/** Shows the text of the sign-in, which is all that a claim signs, and asks. @throws {@link CliError} where nobody can answer. */
async function ask(message: string): Promise<boolean> {
  tell('The wallet signs this text, which opens a session at the hub. The hub then claims, and pays for it:')
  tellLines(message)
  if (!process.stdin.isTTY)
    throw new CliError(
      'not_confirmed',
      'nothing is signed: the input is not a terminal, so nobody can confirm',
      {
        hint: 'Add --yes to sign without asking.',
      },
    )
  const { confirmed } = await import('../cli/confirm.ts')
  return confirmed('Sign it? [y/N] ')
}

const claimableRows = (claimable: readonly Claimable[], addresses: readonly string[]): [string, string][] =>
  claimable.length === 0
    ? addresses.map((address) => ['nothing', `can be claimed by ${address}`])
    : claimable.map(({ project_id, epoch, amount, token, address }) => [
        'claimable',
        `${tokensText(amount, token)} of epoch ${epoch} of ${project_id} for ${address}`,
      ])

function pendingRow(
  { project_id, slug, epoch, amount, token, status, claimable_at }: Earned,
  now: number,
): [string, string] {
  const from = claimable_at === null ? '' : `: claimable from ${timeText(claimable_at, now)}`
  return [
    'pending',
    `${tokensText(amount, token)} of epoch ${epoch} of ${slug ?? project_id}, ${status}${from}`,
  ]
}

const withdrawalRow = ({ withdrawal_id, status, epochs, tx_hash }: Claimed): [string, string] => [
  'withdrawal',
  `${withdrawal_id} of ${epochs.length} ${epochs.length === 1 ? 'payout' : 'payouts'}: ${status}${tx_hash === null ? '' : ` in ${tx_hash}`}`,
]
